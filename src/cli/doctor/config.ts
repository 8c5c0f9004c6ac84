// Checks the config: can it be used, who can read it, are its tokens strong, who can reach the gateway?
import { statSync } from "node:fs";
import { isIPv4 } from "node:net";
import type { Config } from "../../config/config.ts";
import type { LoadResult } from "../../config/load.ts";
import { formatProblem } from "../../config/problem.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";

const shortestGoodToken = 24;

export function checkConfigFile(file: string, loaded: LoadResult): Finding[] {
  const about = statSync(file, { throwIfNoEntry: false });
  if (!about)
    return [
      fail("config", `there is no config at ${file}`, "Make one with: rouse init"),
      notChecked("config mode", "there is no config"),
    ];
  return [loadFinding(file, loaded), modeFinding(file, about.mode)];
}

function loadFinding(file: string, loaded: LoadResult): Finding {
  if (!loaded.ok) {
    const problems = loaded.problems.map(formatProblem).join("; ");
    return fail("config", `${file} cannot be used: ${problems}`, "Fix these settings, then run: rouse check");
  }
  const others = loaded.warnings.filter(({ path }) => !checkedElsewhere.test(path));
  if (others.length === 0) return ok("config", `${file} can be used`);
  return warn("config", `${file}: ${others.map(formatProblem).join("; ")}`, "See docs/configuration.md.");
}

/** Settings with a check of their own: the file's mode (no path), the tokens, the address, unsafe mappings. */
const checkedElsewhere =
  /^$|^hooks\.(token|enabled)\b|^hooks\.tokens\.[^.]+\.token|^gateway\.(auth\.token|host)$|\.allowUnsafeExternalContent$/;

export function modeFinding(file: string, mode: number): Finding {
  if (process.platform === "win32") return notChecked("config mode", "Windows has no file modes");
  const shown = (mode & 0o777).toString(8).padStart(4, "0");
  return (mode & 0o077) === 0
    ? ok("config mode", `${shown}: only its owner can read it`)
    : warn("config mode", `${shown}: other users can read or write it`, `chmod 600 ${file}`);
}

export const checkConfig = ({ hooks, gateway }: Config): Finding[] => [
  tokenFinding(hooks, gateway.auth.token),
  hostFinding(gateway.host),
];

function tokenFinding({ enabled, tokens, namedTokens }: Config["hooks"], own: string | null): Finding {
  if (!enabled)
    return warn("tokens", "hooks are off: every hook responds with 404", "Set hooks.enabled to true.");
  const named = namedTokens.flatMap((each) => each.tokens);
  const all = own === null ? [...tokens, ...named] : [...tokens, ...named, own];
  if (all.some((token) => token.length < shortestGoodToken))
    return warn(
      "tokens",
      `one is shorter than ${shortestGoodToken} characters and could be guessed`,
      "Make a longer one: rouse token rotate [NAME], or for gateway.auth.token: rouse token new",
    );
  // A hook token equal to the gateway's would have been refused with the config.
  if (own === null)
    return warn(
      "tokens",
      "gateway.auth.token is not set: the admin API and the console will not exist",
      "Make one with: rouse token new",
    );
  if (tokens.length > 1)
    return warn(
      "tokens",
      `${tokens.length} hook tokens are accepted`,
      "After a rotation: rouse token rotate --finish",
    );
  return ok("tokens", "long enough, and no two are the same");
}

function hostFinding(host: string): Finding {
  const isLoopback =
    host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
  return isLoopback
    ? ok("bind address", `${host}: only this machine can reach it`)
    : warn(
        "bind address",
        `${host}: other machines can reach it, without encryption`,
        "Keep a private network or a trusted reverse proxy in front.",
      );
}
