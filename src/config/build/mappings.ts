// Completes mappings and presets into one list, in the order in which they are tried.
import { parseFieldPath, type FieldPath } from "../../core/field-path.ts";
import type { WantedTarget } from "../../core/target.ts";
import type { MappingConfig, MatchConfig, PlainValue } from "../config.ts";
import { presets } from "../presets/index.ts";
import type { Settings } from "../schema/index.ts";
import { mapping as mappingSchema, type CheckedMapping } from "../schema/mapping.ts";

export function buildMappings({
  mappings,
  presets: turnedOn,
  gmail,
}: Pick<Settings["hooks"], "mappings" | "presets" | "gmail">): MappingConfig[] {
  const own = mappings.map((mapping, at) => buildMapping(mapping, at, `mapping-${at + 1}`));
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
    timeoutSeconds: written.timeoutSeconds ?? null,
    templates: {
      messageTemplate: written.messageTemplate ?? null,
      textTemplate: written.textTemplate ?? null,
      name: written.name ?? null,
      sessionKey: written.sessionKey ?? null,
      to: written.to ?? null,
      model: written.model ?? null,
      thinking: written.thinking ?? null,
    },
    forEach:
      written.forEach === undefined ? null : { written: written.forEach, path: inPayload(written.forEach) },
    transform: written.transform
      ? { module: written.transform.module, export: written.transform.export ?? null }
      : null,
    tools: written.tools ?? null,
    allowUnsafeExternalContent: written.allowUnsafeExternalContent,
  };
}

const buildMatch = (match: NonNullable<CheckedMapping["match"]>): MatchConfig => ({
  path: match.path ?? null,
  source: match.source ?? null,
  events: match.event === undefined ? null : listOf(match.event),
  headers: Object.entries(match.headers ?? {}).map(([name, values]) => ({
    name: name.toLowerCase(),
    values: listOf(values),
  })),
  payload: Object.entries(match.payload ?? {}).map(([written, values]) => ({
    written,
    path: fieldPath(written),
    values: listOf<PlainValue>(values),
  })),
});

export const buildFallback = (written: CheckedMapping["fallback"]): WantedTarget | null =>
  written ? { channel: written.channel, to: written.to ?? null } : null;

const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

function fieldPath(written: string): FieldPath {
  const path = parseFieldPath(written);
  if (!path) throw new Error("the schema lets only paths through");
  return path;
}

/** As in templates, the first word `payload` is the whole payload. */
function inPayload(written: string): FieldPath {
  const path = fieldPath(written);
  return path[0] === "payload" ? path.slice(1) : path;
}
