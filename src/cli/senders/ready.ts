// Mappings that are ready for use, by kind: those of the configs in `examples/senders/`, which come with the package. A
// kind without one gets a mapping that shows the whole payload.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import type { MappingSettings } from "../../config/schema/mapping.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";

export type ReadyMapping = {
  /** What it is for: `issue-opened`. */
  readonly topic: string;
  readonly mapping: MappingSettings;
  /** A payload that it takes, and its headers, where the sender sends some that matter. */
  readonly example: { readonly payload: string; readonly headers: string | null } | null;
};

const folder = fileURLToPath(new URL("../../../examples/senders/", import.meta.url));
const configName = "rouse.jsonc";

/** The kinds with a folder of examples. */
export const exampleKinds = (): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

export const exampleFolder = (kind: string): string => join(folder, kind);

/** Never empty. */
export function readyMappings(kind: Pick<SenderKind, "id" | "label">): ReadyMapping[] {
  const file = join(exampleFolder(kind.id), configName);
  if (!existsSync(file)) return [plainMapping(kind)];
  const config = parse(readFileSync(file, "utf8"), [], { allowTrailingComma: true }) as ExampleConfig;
  return config.hooks.mappings.map((mapping) => readyOf(kind.id, mapping));
}

type ExampleConfig = { hooks: { mappings: MappingSettings[] } };

function readyOf(kind: string, written: MappingSettings): ReadyMapping {
  const { examples: _, ...mapping } = written;
  const topic = (mapping.id ?? "").replace(`${kind}-`, "");
  const here = (name: string): string | null => {
    const file = join(exampleFolder(kind), name);
    return existsSync(file) ? file : null;
  };
  const payload = here(`${topic}.json`) ?? here(`${topic}.form`);
  const headers = here(`${topic}.txt`) ?? here("headers.txt");
  return { topic, mapping, example: payload === null ? null : { payload, headers } };
}

const plainMapping = ({ id, label }: Pick<SenderKind, "id" | "label">): ReadyMapping => ({
  topic: "everything",
  mapping: {
    id: `${id}-everything`,
    match: { path: id },
    name: label,
    messageTemplate: `${label} sent this:\n\n{{ payload }}\n\nSay in three lines what happened, and whether somebody has to act.`,
  },
  example: null,
});

/** For a sender of this name; `taken` are the ids of other mappings. */
export function mappingFor(
  { mapping, topic }: ReadyMapping,
  { kind, name, taken }: { kind: string; name: string; taken: readonly string[] },
): MappingSettings {
  const { sessionKey, ...rest } = mapping;
  return {
    ...rest,
    id: freeId(`${name}-${topic}`, taken),
    match: { ...mapping.match, path: name },
    ...(sessionKey !== undefined && { sessionKey: sessionKey.replace(`hook:${kind}:`, `hook:${name}:`) }),
  };
}

function freeId(wanted: string, taken: readonly string[]): string {
  let id = wanted;
  for (let next = 2; taken.includes(id); next++) id = `${wanted}-${next}`;
  return id;
}
