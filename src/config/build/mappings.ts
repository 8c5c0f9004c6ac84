// Completes mappings and presets into one list, in the order in which they are tried.
import { resolve } from "node:path";
import { type FieldPath, type FilterPath, parseFieldPath, parseFilterPath } from "../../core/field-path.ts";
import type { WantedTarget } from "../../core/target.ts";
import type { Condition, MappingConfig, MatchConfig } from "../config.ts";
import { presets } from "../presets/index.ts";
import type { Settings } from "../schema/index.ts";
import type { CheckedCondition } from "../schema/filter.ts";
import { type CheckedMapping, mapping as mappingSchema } from "../schema/mapping.ts";

type BuiltFrom = Pick<Settings["hooks"], "mappings" | "presets" | "gmail"> &
  Partial<Pick<Settings["hooks"], "callbacks">>;

/** `folder`: that of the config. */
export function buildMappings(
  { mappings, presets: turnedOn, gmail, callbacks = {} }: BuiltFrom,
  folder: string,
): MappingConfig[] {
  const own = mappings.map((written, at) => ({
    ...buildMapping(written, at, `mapping-${at + 1}`),
    examples: (written.examples ?? []).map((example) => buildExample(example, folder)),
    callback: buildCallback(written.callback, callbacks),
  }));
  const names = [...new Set(gmail ? [...turnedOn, "gmail" as const] : turnedOn)];
  const settings = { gmail: ofGmail(gmail) };
  return [
    ...own,
    ...names.map((name) =>
      buildMapping(mappingSchema.parse({ ...presets[name], ...settings[name] }), name, name),
    ),
  ];
}

/** The settings of `hooks.gmail` for the runs of its preset. */
const ofGmail = (gmail: Settings["hooks"]["gmail"]) => ({
  model: gmail?.model,
  thinking: gmail?.thinking,
  allowUnsafeExternalContent: gmail?.allowUnsafeExternalContent,
});

function buildMapping(written: CheckedMapping, origin: number | string, otherwiseId: string): MappingConfig {
  return {
    id: written.id ?? otherwiseId,
    origin,
    match: buildMatch(written.match ?? {}),
    action: written.action,
    wakeMode: written.wakeMode,
    deliver: written.deliver,
    agentId: written.agentId ?? null,
    channel: written.channel ?? null,
    fallback: buildFallback(written.fallback),
    deliverFailures: written.deliverFailures ?? null,
    results: written.results ?? null,
    timeoutSeconds: written.timeoutSeconds ?? null,
    templates: {
      messageTemplate: written.messageTemplate ?? null,
      textTemplate: written.textTemplate ?? null,
      name: written.name ?? null,
      sessionKey: written.sessionKey ?? null,
      to: written.to ?? null,
      model: written.model ?? null,
      thinking: written.thinking ?? null,
      idempotencyKey: written.idempotencyKey ?? null,
    },
    forEach:
      written.forEach === undefined ? null : { written: written.forEach, path: inPayload(written.forEach) },
    transform: written.transform
      ? { module: written.transform.module, export: written.transform.export ?? null }
      : null,
    tools: written.tools ?? null,
    examples: [],
    callback: null,
    allowUnsafeExternalContent: written.allowUnsafeExternalContent,
  };
}

/** A name that is not there is a problem of the rules. */
const buildCallback = (
  name: string | undefined,
  callbacks: Settings["hooks"]["callbacks"],
): MappingConfig["callback"] =>
  name === undefined ? null : { name, format: callbacks[name]?.format ?? "standard" };

function buildExample(
  written: NonNullable<CheckedMapping["examples"]>[number],
  folder: string,
): MappingConfig["examples"][number] {
  const { payload, headers } =
    typeof written === "string" ? { payload: written, headers: undefined } : written;
  return {
    payload: resolve(folder, payload),
    headers: headers === undefined ? null : resolve(folder, headers),
  };
}

const buildMatch = (match: NonNullable<CheckedMapping["match"]>): MatchConfig => ({
  path: match.path ?? null,
  source: match.source ?? null,
  events: match.event === undefined ? null : [match.event].flat(),
  headers: Object.entries(match.headers ?? {}).map(([name, wanted]) => ({
    name: name.toLowerCase(),
    wanted: buildConditions(wanted),
  })),
  payload: Object.entries(match.payload ?? {}).map(([written, wanted]) => ({
    written,
    path: filterPath(written),
    wanted: buildConditions(wanted),
  })),
});

function buildConditions(written: CheckedCondition | readonly CheckedCondition[]): Condition[] {
  const each = Array.isArray(written) ? written : [written as CheckedCondition];
  return each.map((condition: CheckedCondition) => {
    if (typeof condition !== "object" || condition === null) return condition;
    const { not, ...operators } = condition;
    return { ...operators, ...(not !== undefined && { not: buildConditions(not) }) };
  });
}

export const buildFallback = (written: CheckedMapping["fallback"]): WantedTarget | null =>
  written ? { channel: written.channel, to: written.to ?? null } : null;

function fieldPath(written: string): FieldPath {
  const path = parseFieldPath(written);
  if (!path) throw new Error("the schema lets only paths through");
  return path;
}

function filterPath(written: string): FilterPath {
  const path = parseFilterPath(written);
  if (!path) throw new Error("the schema lets only paths through");
  return path;
}

/** As in templates, the first word `payload` is the whole payload. */
function inPayload(written: string): FieldPath {
  const path = fieldPath(written);
  return path[0] === "payload" ? path.slice(1) : path;
}
