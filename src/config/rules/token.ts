// Rules of tokens: where one is missing, too weak, or the same as another.
import { hash } from "node:crypto";
import { isLoopback } from "../../core/loopback.ts";
import { buildMappings } from "../build/mappings.ts";
import { gatewayToken, hookTokens, namedTokens, senderSecrets, type WrittenToken } from "../build/tokens.ts";
import { type Finding, formatPath } from "../problem.ts";
import { isBuiltIn } from "../schema/hook-name.ts";
import type { Settings } from "../schema/index.ts";

type Found = { problems: Finding[]; warnings: Finding[] };

const shortestGoodToken = 24;
const headerSafe = /^[\x21-\x7e]+$/;
/** As a shell reads it. */
const variable = /^\$[A-Za-z_]\w*$/;
const gatewayTokenPath = ["gateway", "auth", "token"];

export function gatewayRules(settings: Settings): Found {
  const warnings: Finding[] = [];
  const token = settings.gateway.auth.token;
  const path = gatewayTokenPath;
  const isSet = gatewayToken(settings) !== null;
  if (!isSet) {
    const message = "is not set: the admin API and the console will not exist";
    warnings.push({ path, message });
  }
  if (!isLoopback(settings.gateway.host)) {
    const message = "is not loopback: keep a private network or a trusted reverse proxy in front";
    warnings.push({ path: ["gateway", "host"], message });
  }
  const faults = isSet && token !== undefined ? tokenFaults({ value: token, path }) : noFaults;
  return { problems: faults.problems, warnings: [...faults.warnings, ...warnings] };
}

export function tokenRules(settings: Settings): Found {
  const { hooks } = settings;
  const own = hookTokens(settings);
  const named = namedTokens(settings);
  const path = ["hooks", "token"];
  const faults = [...own, ...named].map(tokenFaults);
  const isOff = { path: ["hooks", "enabled"], message: "is false: every hook responds with 404" };
  const isMissing = {
    path,
    message: "is required when hooks.enabled is true: make one with rouse token new",
  };
  const opened = openedHooks(settings);
  return {
    problems: [
      ...(hooks.enabled && own.length === 0 ? [isMissing] : []),
      ...faults.flatMap(({ problems }) => problems),
      ...equalTokens(settings, own, named),
      ...opened.problems,
    ],
    warnings: [
      ...(hooks.enabled ? [] : [isOff]),
      ...faults.flatMap(({ warnings }) => warnings),
      ...opened.warnings,
    ],
  };
}

const noFaults: Found = { problems: [], warnings: [] };

function tokenFaults({ value, path }: WrittenToken): Found {
  if (variable.test(value)) {
    const message = 'is the name of a variable and not its value: in braces it is read, as in "${NAME}"';
    return { problems: [{ path, message }], warnings: [] };
  }
  if (!headerSafe.test(value)) {
    const message = "has characters that cannot travel in a header: use visible ASCII, without spaces";
    return { problems: [{ path, message }], warnings: [] };
  }
  if (value.length >= shortestGoodToken) return noFaults;
  const message = `is shorter than ${shortestGoodToken} characters and could be guessed: make a longer one with rouse token new`;
  return { problems: [], warnings: [{ path, message }] };
}

/** `kind`: of a sender. A kind's service may sign for several addresses with one secret, so its senders may share it. */
type Secret = WrittenToken & { kind?: string };

/** Whoever holds one of two equal tokens holds both. Digests are compared, so that no time shows how much is equal. */
function equalTokens(
  settings: Settings,
  own: readonly WrittenToken[],
  named: readonly WrittenToken[],
): Finding[] {
  const gateway = gatewayToken(settings);
  const first: Secret[] = gateway === null ? [] : [{ value: gateway, path: gatewayTokenPath }];
  const secrets: Secret[] = [...first, ...own, ...named, ...senderSecrets(settings)];
  const known = new Map<string, Secret[]>();
  return secrets.flatMap((secret) => {
    const digest = hash("sha256", secret.value.trim(), "hex");
    const before = known.get(digest) ?? [];
    const equal = before.find((other) => !mayShare(secret, other));
    // One of each is enough to compare with: those that are refused here are equal to one that is kept.
    if (equal === undefined) known.set(digest, [...before, secret]);
    return equal ? [{ path: secret.path, message: equalMessage(secret, equal) }] : [];
  });
}

/** Kinds whose secret itself is sent: with one secret, one caller could call as the other. */
const sentSecrets = ["token", "basic"];

const mayShare = (one: Secret, other: Secret): boolean =>
  one.kind !== undefined &&
  one.kind === other.kind &&
  !sentSecrets.includes(one.kind) &&
  one.path[2] !== other.path[2];

const equalMessage = ({ path }: Secret, other: Secret): string =>
  other.path === gatewayTokenPath && path[1] === "token"
    ? "must not be the same as gateway.auth.token: give hooks a token of their own"
    : `must not be the same as ${formatPath(other.path)}: give each one of its own`;

/** What named tokens open: a sender's hook is opened by its own proof alone, and another may not exist. */
function openedHooks({ hooks }: Settings): Found {
  const paths = buildMappings(hooks, "").map(({ match }) => match.path);
  const takesAny = paths.includes(null);
  const isTaken = (hook: string): boolean =>
    isBuiltIn(hook) ||
    takesAny ||
    paths.some((path) => (hook.endsWith("/*") ? path?.startsWith(hook.slice(0, -1)) : path === hook));
  const opened = Object.entries(hooks.tokens).flatMap(([name, named]) =>
    named.hooks.map((hook, at) => ({ hook, path: ["hooks", "tokens", name, "hooks", at] })),
  );
  return {
    problems: opened
      .filter(({ hook }) => Object.hasOwn(hooks.senders, hook))
      .map(({ path }) => ({ path, message: "is a sender's: its own proof opens it, and no token does" })),
    warnings: opened
      .filter(({ hook }) => !Object.hasOwn(hooks.senders, hook) && !isTaken(hook))
      .map(({ path }) => ({ path, message: "has no mapping: its requests are 404" })),
  };
}
