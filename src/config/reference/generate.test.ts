import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { generatedFiles } from "./generate.ts";
import { configJsonSchema } from "./json-schema.ts";
import { configReference } from "./reference.ts";

for (const { path, text } of generatedFiles()) {
  test(`${basename(path)} is in step with the schema`, () => {
    assert.ok(readFileSync(path, "utf8") === text, `${path} is out of step: run \`npm run generate\``);
  });
}

type Node = {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  $id?: string;
  title?: string;
};

test("every setting has a description", () => {
  const bare = (schema: Node, path: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
      ...(inner.description ? [] : [`${path}${name}`]),
      ...bare(inner, `${path}${name}.`),
      ...bare(inner.items ?? {}, `${path}${name}[].`),
    ]);
  assert.deepEqual(bare(configJsonSchema() as Node, ""), []);
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
  assert.ok(text.includes('| `agents.defaults.heartbeat.every` | duration | `"30m"` |'));
});
