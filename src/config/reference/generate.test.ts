import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { generatedFiles } from "./generate.ts";
import { configJsonSchema, describedSchema } from "./json-schema.ts";
import { configReference, typeName } from "./reference.ts";

for (const { path, text } of generatedFiles()) {
  test(`${basename(path)} is in step with the schema`, () => {
    assert.ok(readFileSync(path, "utf8") === text, `${path} is out of step: run \`npm run generate\``);
  });
}

type Node = {
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  anyOf?: Node[];
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node | boolean;
  writeOnly?: boolean;
  duration?: string;
  $id?: string;
  title?: string;
};

type Found = { path: string; node: Node };

/** Every setting of the schema, in lists, maps and each of several forms. A secret's forms are no settings. */
function settingsIn(node: Node, path: string): Found[] {
  if (node.writeOnly) return [];
  const { properties = {}, items, additionalProperties: values, anyOf = [] } = node;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [
      { path: `${path}.${name}`, node: inner },
      ...settingsIn(inner, `${path}.${name}`),
    ]),
    ...(items ? settingsIn(items, `${path}[]`) : []),
    ...(typeof values === "object" ? settingsIn(values, `${path}.ID`) : []),
    ...anyOf.flatMap((each) => settingsIn(each, path)),
  ].map((found) => ({ ...found, path: found.path.replace(/^\./, "") }));
}

test("every setting has a description", () => {
  const bare = settingsIn(configJsonSchema() as Node, "").filter(({ node }) => !node.description);
  assert.deepEqual(
    bare.map(({ path }) => path),
    [],
  );
});

/** What the type in the reference must say about a value, each as a pattern. */
function saidOf(node: Node): RegExp[] {
  if (node.writeOnly) return [/\bsecrets?\b/];
  if (node.duration) return [new RegExp(`^duration, ${node.duration}$`)];
  const values = [...(node.enum ?? []), ...("const" in node ? [node.const] : [])];
  if (values.length > 0) return values.map((each) => new RegExp(JSON.stringify(each)));
  const words: Record<string, RegExp> = {
    string: /text/,
    boolean: /true or false|boolean/,
    null: /null/,
    array: /list/,
    integer: /whole number/,
    number: /number/,
    object: /object|map/,
  };
  const { items, additionalProperties: inside, anyOf = [] } = node;
  return [
    ...[node.type ?? []].flat().map((type) => words[type] ?? /never/),
    ...[node.minimum, node.maximum].flatMap((limit) =>
      limit === undefined ? [] : [limit > 0 && limit < 1 ? /above 0/ : new RegExp(`\\b${limit}\\b`)],
    ),
    ...(items && !isObject(items) ? saidOf(items) : []),
    ...(typeof inside === "object" && !isObject(inside) ? saidOf(inside) : []),
    ...anyOf.flatMap(saidOf),
  ];
}

const isObject = ({ properties = {}, anyOf = [] }: Node): boolean =>
  Object.keys(properties).length > 0 || (anyOf.length > 0 && anyOf.every(isObject));

test("the reference has every setting of the schema once, with its type and its range", () => {
  const rows = [...configReference().matchAll(/^\| `(\S+)` \| (.*?) \| /gm)].map(([, name, type]) => ({
    name,
    type,
  }));
  const typeOf = new Map(rows.map(({ name, type }) => [name, type ?? ""]));
  assert.equal(typeOf.size, rows.length, "a setting stands twice");
  const faults = settingsIn(describedSchema() as Node, "").flatMap(({ path, node }) => {
    if (!path.includes(".") || isObject(node)) return [];
    const shown = path.replace(/^agents\.defaults(?=\.(?!models|heartbeat|timeoutSeconds))/, "agents.list[]");
    const type = typeOf.get(shown);
    if (type === undefined) return [`${path} is missing`];
    return saidOf(node).flatMap((said) =>
      said.test(type) ? [] : [`${path}: "${type}" does not say ${said}`],
    );
  });
  assert.deepEqual(faults, []);
  assert.doesNotMatch(configReference(), /0 to 0|undefined|NaN/);
});

test("a number without a minimum or a maximum has no made-up range", () => {
  const types = (schema: z.ZodType) => typeName(z.toJSONSchema(schema, { io: "input" }));
  assert.equal(types(z.number()), "number");
  assert.equal(types(z.number().min(3)), "number, at least 3");
  assert.equal(types(z.number().max(3)), "number, at most 3");
  assert.equal(types(z.number().min(0.001)), "number, above 0");
});

test("the schema has a title and no id", () => {
  const schema = configJsonSchema() as Node;
  assert.equal(schema.title, "Configuration of Rouse");
  assert.equal(schema.$id, undefined);
});

test("the reference has every setting of the specification and the defaults", () => {
  const text = configReference();
  const settings = [
    "enabled",
    "token",
    "path",
    "allowedAgentIds",
    "defaultSessionKey",
    "allowRequestSessionKey",
  ];
  for (const name of [
    ...settings,
    "allowedSessionKeyPrefixes",
    "presets",
    "mappings",
    "transformsDir",
    "gmail.account",
  ]) {
    assert.ok(text.includes(`| \`hooks.${name}\` |`), name);
  }
  assert.ok(text.includes("| `gateway.port` | whole number, 0 to 65535 | `4665` |"));
  assert.ok(text.includes('| `agents.defaults.heartbeat.every` | duration, 1s to 24d, or 0 | `"30m"` |'));
});
