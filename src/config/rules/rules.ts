// Rules between settings, each a pure function of checked settings. Problems refuse the file, warnings do not.
import { mainSessionKey } from "../../core/run.ts";
import { generatedKeyPrefix, hasAllowedPrefix, sessionKeyFault } from "../../core/session-key.ts";
import { agentRules } from "./agent.ts";
import { callbackRules } from "./callback.ts";
import { channelRules } from "./channel.ts";
import { gmailRules } from "./gmail.ts";
import { mailRules } from "./mail.ts";
import { mappingRules } from "./mapping.ts";
import { senderRules } from "./sender.ts";
import { gatewayRules, tokenRules } from "./token.ts";
import type { Finding } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

export type Findings = { problems: Finding[]; warnings: Finding[] };

export function checkRules(settings: Settings): Findings {
  const parts = [
    gatewayRules,
    tokenRules,
    hookSessionRules,
    mappingRules,
    senderRules,
    mailRules,
    gmailRules,
    agentRules,
    channelRules,
    callbackRules,
  ];
  const found = parts.map((rules) => rules(settings));
  return {
    problems: found.flatMap(({ problems }) => problems),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
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
