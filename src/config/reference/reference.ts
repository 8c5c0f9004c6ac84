// Generates `docs/configuration.md` from the schema.
import type { z } from "zod";
import { configJsonSchema } from "./json-schema.ts";
import { restartSettings } from "../restart.ts";

type Schema = z.core.JSONSchema.BaseSchema;
type Row = { name: string; type: string; preset: string; meaning: string };

const introduction = `# Configuration

This page is made from the schema by \`npm run generate\`; do not edit it.

Rouse reads one file, \`rouse.jsonc\`, from its home (\`ROUSE_HOME\`, else \`~/.rouse\`) or from where \`--config\` says. It is JSON with comments and trailing commas. Every setting has a default: an empty \`{}\` is a valid file, though hooks are off in it.

\`\`\`jsonc
{
  "$schema": "./rouse.schema.json", // completion and checks in your editor
  "hooks": {
    "enabled": true,
    "token": "\${ROUSE_HOOK_TOKEN}",
  },
}
\`\`\`

\`rouse check\` reports every problem at once, each with its path and line. An unknown name is a problem, too. Relative paths are relative to the file; \`~\` is not expanded.

## Secrets

\`\${NAME}\` inside any text is replaced by that environment variable; one that is not set, or empty, is a problem. Write \`$\${\` for a literal \`\${\`.

A setting of type *secret* can also name a file: \`{ "file": "secrets/hook-token" }\`. Its content counts, without line breaks at the end. It must be a regular file of up to 4 MiB: a pipe, a device or a folder is refused.

Keep the file to yourself (\`chmod 600\`). No message ever shows a value.

## Changes while running

Rouse checks the file, and the secret files it names, about once a second, and takes a change up without a restart. A file with problems is reported, and the last good one stays in force. These settings need a restart: ${restartSettings.map((name) => `\`${name}\``).join(", ")}.

Durations are written as \`250ms\`, \`90s\`, \`30m\`, \`12h\`, \`7d\`.
`;

export function configReference(): string {
  const sections = Object.entries(propertiesOf(configJsonSchema())).filter(([name]) => name !== "$schema");
  return [introduction, ...sections.map(([name, schema]) => section(name, schema))].join("\n");
}

function section(name: string, schema: Schema): string {
  const found = rows(name, schema);
  const table = found.map(
    ({ name, type, preset, meaning }) => `| \`${name}\` | ${type} | ${preset} | ${meaning} |`,
  );
  const head = ["| Setting | Type | Default | Meaning |", "|---|---|---|---|"];
  const body = found.length > 0 ? ["", ...head, ...table] : [];
  return `${[`## ${name}`, "", schema.description ?? "", ...body].join("\n")}\n`;
}

/** An object is shown by its fields; a list or map of objects has a row of its own as well. */
function rows(prefix: string, schema: Schema): Row[] {
  return Object.entries(propertiesOf(schema)).flatMap(([key, inner]) => {
    const name = `${prefix}.${key}`;
    if (name === "agents.defaults") return [row(name, inner), ...agentDefaults(name, inner, schema)];
    if (inner.properties && Object.keys(inner.properties).length > 0) return rows(name, inner);
    const item = asSchema(inner.items);
    const value = asSchema(inner.additionalProperties);
    if (item?.properties) return [row(name, inner), ...rows(`${name}[]`, item)];
    if (value?.properties) return [row(name, inner), ...rows(`${name}.ID`, value)];
    return [row(name, inner)];
  });
}

/** Only the settings that the defaults have and an agent in the list does not. */
function agentDefaults(name: string, defaults: Schema, agents: Schema): Row[] {
  const shared = propertiesOf(asSchema(propertiesOf(agents)["list"]?.items) ?? {});
  const own = Object.entries(propertiesOf(defaults)).filter(([key]) => !(key in shared));
  return rows(name, { ...defaults, properties: Object.fromEntries(own) });
}

const row = (name: string, schema: Schema): Row => ({
  name,
  type: typeName(schema),
  preset: presetOf(schema),
  meaning: (schema.description ?? "").replaceAll("|", "\\|"),
});

const presetOf = ({ default: preset }: Schema): string =>
  preset === undefined || (typeof preset === "object" && !Array.isArray(preset))
    ? ""
    : `\`${JSON.stringify(preset)}\``;

function typeName(schema: Schema): string {
  const item = asSchema(schema.items);
  if (schema.writeOnly)
    return alternatives(schema).some(({ type }) => type === "array") ? "secret, or a list" : "secret";
  if (schema.enum) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  if (schema.type === "array")
    return item?.properties ? "list of objects" : `list of ${item ? typeName(item) : "values"}`;
  if (schema.type === "integer") return `whole number, ${range(schema)}`;
  if (schema.type === "number") return `number, ${range(schema)}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "object") return asSchema(schema.additionalProperties) ? "map" : "object";
  if (alternatives(schema).some((each) => each.const === 0 || each.enum?.includes(0))) return "duration";
  return "text";
}

const range = ({ minimum = 0, maximum = 0 }: Schema): string =>
  minimum > 0 && minimum < 1 ? `above 0, at most ${maximum}` : `${minimum} to ${maximum}`;

const alternatives = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? []).map(asSchema).filter((each) => each !== undefined);

function propertiesOf(schema: Schema): Record<string, Schema> {
  const properties: Record<string, Schema> = {};
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const inner = asSchema(each);
    if (inner) properties[name] = inner;
  }
  return properties;
}

const asSchema = (value: unknown): Schema | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
