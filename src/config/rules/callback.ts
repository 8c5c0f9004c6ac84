// Rules of `hooks.callbacks`, and of those who name them.
import type { CallbackFormat } from "../../core/callback.ts";
import { isPrivateHost } from "../../core/public-address.ts";
import { nearest } from "../../core/nearest.ts";
import type { Finding, Path } from "../problem.ts";
import type { CallbackSettings } from "../schema/callbacks.ts";
import type { Settings } from "../schema/index.ts";

type Field = "url" | "secret" | "token";

const needed: Readonly<Record<CallbackFormat, readonly Field[]>> = {
  standard: ["url", "secret"],
  "slack-response": [],
  "github-comment": ["token"],
  "gitlab-comment": ["token"],
};
const unused: Readonly<Record<CallbackFormat, readonly Field[]>> = {
  standard: ["token"],
  "slack-response": ["url", "secret", "token"],
  "github-comment": ["secret"],
  "gitlab-comment": ["secret"],
};
const leastSecret = 24;

export function callbackRules({ hooks }: Settings): { problems: Finding[]; warnings: Finding[] } {
  const all = Object.entries(hooks.callbacks);
  return {
    problems: [...all.flatMap(problemsOf), ...unknownNames(hooks)],
    warnings: all.flatMap(warningsOf),
  };
}

function problemsOf([name, callback]: [string, CallbackSettings]): Finding[] {
  const { format, url } = callback;
  const at = (field: string, message: string): Finding => ({
    path: ["hooks", "callbacks", name, field],
    message,
  });
  const isMissing = (field: Field): boolean => (callback[field]?.trim() ?? "") === "";
  return [
    ...needed[format]
      .filter(isMissing)
      .map((field) => at(field, `is missing: the format ${format} needs it`)),
    ...unused[format]
      .filter((field) => callback[field] !== undefined)
      .map((field) => at(field, `is not used by the format ${format}: leave it out`)),
    ...(url !== undefined && !mayBeAsked(url, callback)
      ? [
          at(
            "url",
            "must begin with https://, unless allowPrivate is true or it is an address of this machine or network",
          ),
        ]
      : []),
    ...(url !== undefined && hasAccount(url) ? [at("url", "must have no name or password in it")] : []),
  ];
}

function mayBeAsked(url: string, { allowPrivate }: CallbackSettings): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || allowPrivate || isPrivateHost(hostname);
}

function hasAccount(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

function warningsOf([name, { format, secret = "" }]: [string, CallbackSettings]): Finding[] {
  const length = secret.trim().length;
  return format === "standard" && length > 0 && length < leastSecret
    ? [
        {
          path: ["hooks", "callbacks", name, "secret"],
          message: `is shorter than ${leastSecret} characters and can be guessed: use whsec_ and 24 random bytes in base64`,
        },
      ]
    : [];
}

/** Where the configuration names a callback that is not there, or one that the place cannot use. */
function unknownNames({ callbacks, mappings, tokens }: Settings["hooks"]): Finding[] {
  const named: { path: Path; name: string }[] = [
    ...mappings.flatMap(({ callback }, at) =>
      callback === undefined ? [] : [{ path: ["hooks", "mappings", at, "callback"], name: callback }],
    ),
    ...Object.entries(tokens).flatMap(([token, { callback }]) =>
      callback === undefined ? [] : [{ path: ["hooks", "tokens", token, "callback"], name: callback }],
    ),
  ];
  return named.flatMap(({ path, name }) => {
    const found = Object.hasOwn(callbacks, name) ? callbacks[name] : undefined;
    if (found === undefined) {
      const near = nearest(name, Object.keys(callbacks));
      return [
        {
          path,
          message: `there is no such callback in hooks.callbacks${near ? `; did you mean ${near}?` : ""}`,
        },
      ];
    }
    return path[1] === "tokens" && found.format !== "standard"
      ? [
          {
            path,
            message: `must be a callback of the format standard: only a mapping knows where an event came from`,
          },
        ]
      : [];
  });
}
