// Rules between settings, each a pure function of checked settings. Problems refuse the file, warnings do not.
import { gatewayToken, hookTokens } from "../build/tokens.ts";
import { hash, timingSafeEqual } from "node:crypto";
import { mainSessionKey } from "../../core/run.ts";
import { generatedKeyPrefix, hasAllowedPrefix, sessionKeyFault } from "../../core/session-key.ts";
import { agentRules } from "./agent.ts";
import { channelRules } from "./channel.ts";
import { gmailRules } from "./gmail.ts";
import { isLoopback } from "../../core/loopback.ts";
import { mailRules } from "./mail.ts";
import { mappingRules } from "./mapping.ts";
import { senderRules } from "./sender.ts";
import type { Finding, Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

export type Findings = { problems: Finding[]; warnings: Finding[] };

const shortestGoodToken = 24;
const headerSafe = /^[\x21-\x7e]+$/;
/** As a shell reads it. */
const variable = /^\$[A-Za-z_]\w*$/;

export function checkRules(settings: Settings): Findings {
  const parts = [
    gatewayRules,
    hookTokenRules,
    hookSessionRules,
    mappingRules,
    senderRules,
    mailRules,
    gmailRules,
    agentRules,
    channelRules,
  ];
  const found = parts.map((rules) => rules(settings));
  return {
    problems: found.flatMap(({ problems }) => problems),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

function gatewayRules(settings: Settings): Findings {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const token = settings.gateway.auth.token;
  const path = ["gateway", "auth", "token"];
  if (gatewayToken(settings) === null) {
    const message = "is not set: the admin API and the console will not exist";
    warnings.push({ path, message });
  } else if (token !== undefined) tokenRules({ value: token, path }, { problems, warnings });
  if (!isLoopback(settings.gateway.host)) {
    const message = "is not loopback: keep a private network or a trusted reverse proxy in front";
    warnings.push({ path: ["gateway", "host"], message });
  }
  return { problems, warnings };
}

function hookTokenRules(settings: Settings): Findings {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const { hooks } = settings;
  const tokens = hookTokens(settings);
  const path = ["hooks", "token"];
  if (!hooks.enabled)
    warnings.push({ path: ["hooks", "enabled"], message: "is false: every hook responds with 404" });
  else if (tokens.length === 0)
    problems.push({ path, message: "is required when hooks.enabled is true: make one with rouse token new" });
  const own = gatewayToken(settings);
  for (const token of tokens) {
    tokenRules(token, { problems, warnings });
    if (own !== null && isSame(token.value.trim(), own)) {
      const message = "must not be the same as gateway.auth.token: give hooks a token of their own";
      problems.push({ path: token.path, message });
    }
  }
  return { problems, warnings };
}

function tokenRules({ value, path }: { value: string; path: Path }, { problems, warnings }: Findings): void {
  if (variable.test(value)) {
    const message = 'is the name of a variable and not its value: in braces it is read, as in "${NAME}"';
    problems.push({ path, message });
  } else if (!headerSafe.test(value)) {
    const message = "has characters that cannot travel in a header: use visible ASCII, without spaces";
    problems.push({ path, message });
  } else if (value.length < shortestGoodToken) {
    const message = `is shorter than ${shortestGoodToken} characters and could be guessed: make a longer one with rouse token new`;
    warnings.push({ path, message });
  }
}

function hookSessionRules({ hooks }: Settings): Findings {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const prefixes = hooks.allowedSessionKeyPrefixes;
  const key = hooks.defaultSessionKey;
  const message = key === undefined ? null : defaultKeyFault(key, prefixes);
  if (message) problems.push({ path: ["hooks", "defaultSessionKey"], message });
  if (key === undefined && !hasAllowedPrefix(generatedKeyPrefix, prefixes)) {
    problems.push({
      path: ["hooks", "allowedSessionKeyPrefixes"],
      message: `would forbid the generated keys: add "${generatedKeyPrefix}", or set hooks.defaultSessionKey`,
    });
  }
  if (hooks.allowRequestSessionKey && prefixes.length === 0) {
    warnings.push({
      path: ["hooks", "allowRequestSessionKey"],
      message: "lets requests choose any session: restrict them with hooks.allowedSessionKeyPrefixes",
    });
  }
  return { problems, warnings };
}

function defaultKeyFault(key: string, prefixes: readonly string[]): string | null {
  if (key === "") return "must not be blank";
  if (key === mainSessionKey) return `must not be "${mainSessionKey}": that is the main session's own`;
  const fault = sessionKeyFault(key);
  if (fault) return fault;
  return hasAllowedPrefix(key, prefixes)
    ? null
    : "must start with one of hooks.allowedSessionKeyPrefixes, or no run could use it: change it, or add its beginning there";
}

const digest = (value: string): Buffer => hash("sha256", value, "buffer");
const isSame = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));
