// Rules between mappings, presets and what the hooks allow.
import { hasAllowedPrefix } from "../../core/session-key.ts";
import { buildMappings } from "../build/mappings.ts";
import type { MappingConfig } from "../config.ts";
import { type Finding, formatPath, type Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";
import { mayNameAgent, nameBelow, unconfiguredChannels, unknownAgent } from "./mapping-names.ts";

type Found = { problems: Finding[]; warnings: Finding[] };

export function mappingRules(settings: Settings): Found {
  const { hooks } = settings;
  const mappings = buildMappings(hooks, "");
  const hidden = unreachable(mappings, hooks);
  const own = mappings.filter(({ origin }) => typeof origin === "number");
  const unknown = own.flatMap((mapping) => unknownAgent(mapping, settings));
  const refusesUnknown = settings.agents.unknown === "refuse";
  return {
    problems: [...repeatedIds(own), ...hidden.problems, ...(refusesUnknown ? unknown : [])],
    warnings: [
      ...hidden.warnings,
      ...own.flatMap((mapping) => mappingWarnings(mapping, hooks)),
      ...(refusesUnknown ? [] : unknown),
      ...own.flatMap((mapping) => unconfiguredChannels(mapping, settings)),
    ],
  };
}

const pathOf = ({ origin }: MappingConfig, ...setting: string[]): Path => [
  "hooks",
  "mappings",
  origin,
  ...setting,
];

function repeatedIds(mappings: readonly MappingConfig[]): Finding[] {
  const seen = new Map<string, MappingConfig>();
  return mappings.flatMap((mapping) => {
    const first = seen.get(mapping.id);
    if (first === undefined) seen.set(mapping.id, mapping);
    const message = `is the id of ${first && formatPath(pathOf(first))} already: choose another`;
    return first === undefined ? [] : [{ path: pathOf(mapping, "id"), message }];
  });
}

/** A mapping without filters takes every request with its path and source, so a later one must match more. */
function unreachable(mappings: readonly MappingConfig[], { presets, senders }: Settings["hooks"]): Found {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const taken = new Map<string, MappingConfig>();
  const keyOf = (path: string | null, source: string | null) => JSON.stringify([path, source]);
  for (const mapping of mappings) {
    const { path, source, events, headers, payload } = mapping.match;
    const ofPath = [keyOf(path, source), keyOf(path, null)];
    // A mapping without a path takes no request of a sender.
    const isSenders = path !== null && Object.hasOwn(senders, path);
    const wider = isSenders ? ofPath : [...ofPath, keyOf(null, source), keyOf(null, null)];
    const before = wider.map((key) => taken.get(key)).find((each) => each !== undefined);
    const message = `can never be reached: the mapping ${before?.id ?? ""} before it takes all of its requests`;
    const remedy = "Put it before that one, or let that one match less";
    if (before && typeof mapping.origin === "number")
      problems.push({ path: pathOf(mapping), message: `${message}. ${remedy}` });
    else if (before && presets.includes(mapping.origin as "gmail"))
      warnings.push({ path: ["hooks", "presets", presets.indexOf(mapping.origin as "gmail")], message });
    else if (events === null && headers.length === 0 && payload.length === 0)
      taken.set(keyOf(path, source), mapping);
  }
  return { problems, warnings };
}

function mappingWarnings(mapping: MappingConfig, hooks: Settings["hooks"]): Finding[] {
  const found: Finding[] = [];
  const warn = (message: string, ...setting: string[]) =>
    found.push({ path: pathOf(mapping, ...setting), message });
  const { action, templates, transform, allowUnsafeExternalContent } = mapping;
  const [needed, other] =
    action === "agent"
      ? (["messageTemplate", "textTemplate"] as const)
      : (["textTemplate", "messageTemplate"] as const);
  if (templates[needed] === null && transform === null)
    warn(`has no ${needed} and no transform: every request is refused, because its text is empty`);
  if (templates[other] !== null && transform === null) warn(`has no effect: the action is ${action}`, other);
  if (templates.idempotencyKey !== null && !/\{[{%]/.test(templates.idempotencyKey))
    warn("is the same for every request: only the first one of a day would count", "idempotencyKey");
  if (allowUnsafeExternalContent) warn(unsafeWarning(mapping), "allowUnsafeExternalContent");
  const name = mapping.match.path === null ? null : nameBelow(hooks.path, mapping.match.path);
  if (name !== null)
    warn(`begins with hooks.path, which is put before it: write ${JSON.stringify(name)}`, "match", "path");
  const key = templates.sessionKey;
  if (key !== null && !couldHavePrefix(key, hooks.allowedSessionKeyPrefixes))
    warn("starts with none of hooks.allowedSessionKeyPrefixes: every request is refused", "sessionKey");
  if (!mayNameAgent(mapping, hooks))
    warn("is not in hooks.allowedAgentIds: every request is refused", "agentId");
  return found;
}

/** With a transform, a wake can become a run. */
export const unsafeWarning = ({ action, transform }: Pick<MappingConfig, "action" | "transform">): string =>
  action === "agent" || transform !== null
    ? "lifts the safety boundary: text from outside reaches the agent as if you had written it"
    : "has no effect on a wake: its text stays inside the safety boundary";

/** The text before the first template mark is the same in every key. */
function couldHavePrefix(template: string, prefixes: readonly string[]): boolean {
  const markAt = template.search(/\{[{%]/);
  if (markAt === -1) return hasAllowedPrefix(template, prefixes);
  const start = template.slice(0, markAt);
  return hasAllowedPrefix(start, prefixes) || prefixes.some((prefix) => prefix.startsWith(start));
}
