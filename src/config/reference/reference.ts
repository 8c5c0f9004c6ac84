// Generates `docs/configuration.md` from the schema.
import type { z } from "zod";
import { describedSchema } from "./json-schema.ts";
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

\`rouse init\` puts the schema beside the file; each start and \`rouse check\` bring it up to date.

\`rouse check\` reports every problem at once, each with its path and line. An unknown name is a problem, too. Relative paths are relative to the file; \`~\` is not expanded.

## Secrets

\`\${NAME}\` inside any text is replaced by that environment variable; one that is not set, or empty, is a problem. Write \`$\${\` for a literal \`\${\`.

A setting of type *secret* can also name a file: \`{ "file": "secrets/hook-token" }\`. Its content counts, without line breaks at the end. It must be a regular file of up to 4 MiB: a pipe, a device or a folder is refused.

Keep the file to yourself (\`chmod 600\`). No message ever shows a text that is set; a file that exists and cannot be read is named.

## Changes while running

Rouse checks the file, and the secret files it names, about once a second, and takes a change up without a restart. A file with problems is reported, and the last good one stays in force. These settings need a restart: ${restartSettings.map((name) => `\`${name}\``).join(", ")}.

Durations are written as \`250ms\`, \`90s\`, \`30m\`, \`12h\`, \`7d\`. A setting that is *required* must stand wherever its object does. \`[]\` stands for an entry of a list, \`ID\` for a name in a map.
`;

export function configReference(): string {
  const sections = Object.entries(propertiesOf(describedSchema())).filter(([name]) => name !== "$schema");
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
function rows(prefix: string, schema: Schema, mayBeLeftOut = false): Row[] {
  const required = mayBeLeftOut ? [] : (schema.required ?? []);
  return Object.entries(propertiesOf(schema)).flatMap(([key, inner]) => {
    const name = `${prefix}.${key}`;
    if (name === "agents.defaults") return [row(name, inner), ...agentDefaults(name, inner, schema)];
    if (hasFields(inner)) return rows(name, inner);
    return [row(name, inner, required.includes(key)), ...rowsInside(name, inner)];
  });
}

/** The fields of the objects in a list, a map or one of several forms. */
function rowsInside(name: string, schema: Schema): Row[] {
  if (schema.writeOnly) return [];
  const item = asSchema(schema.items);
  const value = asSchema(schema.additionalProperties);
  const found = [
    ...(item ? inForms(`${name}[]`, item) : []),
    ...(value ? inForms(`${name}.ID`, value) : []),
    ...alternatives(schema).flatMap((each) => inForms(name, each)),
  ];
  return found.filter(({ name: each }, at) => found.findIndex((other) => other.name === each) === at);
}

/** A field that only one of several forms requires can be left out in another. */
function inForms(name: string, schema: Schema): Row[] {
  if (schema.writeOnly) return [];
  if (hasFields(schema)) return rows(name, schema);
  return alternatives(schema).flatMap((each) =>
    hasFields(each) ? rows(name, each, true) : rowsInside(name, each),
  );
}

const hasFields = (schema: Schema): boolean =>
  !schema.writeOnly && Object.keys(propertiesOf(schema)).length > 0;

/** Only the settings that the defaults have and an agent in the list does not. */
function agentDefaults(name: string, defaults: Schema, agents: Schema): Row[] {
  const shared = propertiesOf(asSchema(propertiesOf(agents)["list"]?.items) ?? {});
  const own = Object.entries(propertiesOf(defaults)).filter(([key]) => !(key in shared));
  return rows(name, { ...defaults, properties: Object.fromEntries(own) });
}

const row = (name: string, schema: Schema, isRequired = false): Row => ({
  name,
  type: typeName(schema),
  preset: isRequired ? "required" : presetOf(schema),
  meaning: (schema.description ?? "").replaceAll("|", "\\|"),
});

const presetOf = ({ default: preset }: Schema): string =>
  preset === undefined || (typeof preset === "object" && !Array.isArray(preset))
    ? ""
    : `\`${JSON.stringify(preset)}\``;

export function typeName(schema: Schema): string {
  const forms = alternatives(schema);
  if (schema.$ref !== undefined) return "operators";
  if (schema.writeOnly) return forms.some(({ type }) => type === "array") ? "secret, or a list" : "secret";
  if (typeof schema["duration"] === "string") return `duration, ${schema["duration"]}`;
  if (forms.length > 0) return formsName(forms.map(typeName));
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  const types = typesOf(schema);
  return types.length === 1 ? plainType(types[0], schema) : orList(types.map(shortType));
}

const typesOf = ({ type }: Schema): readonly (string | undefined)[] => (Array.isArray(type) ? type : [type]);

const shortType = (type = ""): string => (type === "string" ? "text" : type);

function formsName(names: readonly string[]): string {
  const [first = "", second] = names;
  return names.length === 2 && second === `list of ${grouped(first)}` ? `${first}, or a list` : orList(names);
}

function plainType(type: string | undefined, schema: Schema): string {
  const item = asSchema(schema.items);
  const value = asSchema(schema.additionalProperties);
  if (type === "array") return `list of ${inner(item)}`;
  if (type === "object") return value && Object.keys(value).length > 0 ? `map of ${inner(value)}` : "object";
  if (type === "integer") return `whole number${range(schema)}`;
  if (type === "number") return `number${range(schema)}`;
  if (type === "boolean") return "true or false";
  return "text";
}

/** What a list or a map holds. */
function inner(schema: Schema | undefined): string {
  if (schema === undefined) return "values";
  if (hasFields(schema)) return "objects";
  const name = typeName(schema);
  return name === "secret" || name === "object" ? `${name}s` : grouped(name);
}

const grouped = (name: string): string =>
  / or |, /.test(name) && !name.startsWith("`") ? `(${name})` : name;

/** A minimum between 0 and 1 stands for the smallest that counts. */
function range({ minimum, maximum }: Schema): string {
  const least = minimum !== undefined && minimum > 0 && minimum < 1 ? "above 0" : minimum;
  if (least === undefined) return maximum === undefined ? "" : `, at most ${maximum}`;
  if (maximum === undefined) return least === "above 0" ? ", above 0" : `, at least ${least}`;
  return least === "above 0" ? `, above 0, at most ${maximum}` : `, ${least} to ${maximum}`;
}

const orList = (words: readonly string[]): string => {
  const distinct = [...new Set(words)];
  return distinct.length < 2
    ? distinct.join("")
    : `${distinct.slice(0, -1).join(", ")} or ${distinct.at(-1)}`;
};

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
