// For every setting of the schema: a value of a wrong type or outside its range is a problem at its path, which says
// what would be right.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue } from "../../test/fixtures/config.ts";
import { formatPath, type Path } from "./problem.ts";
import { configJsonSchema } from "./reference/json-schema.ts";

type Node = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  anyOf?: Node[];
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node | boolean;
};

type Setting = { path: Path; node: Node };

/** A name that every map takes. */
const nameIn = (path: Path): string =>
  path.at(-1) === "prices" || path.at(-1) === "contextTokens" ? "a/b" : "x";

function settingsIn(node: Node, path: Path): Setting[] {
  const { properties = {}, items, additionalProperties: values, anyOf = [] } = node;
  return [
    { path, node },
    ...Object.entries(properties).flatMap(([name, inner]) => settingsIn(inner, [...path, name])),
    ...(items ? settingsIn(items, [...path, 0]) : []),
    ...(typeof values === "object" ? settingsIn(values, [...path, nameIn(path)]) : []),
    ...anyOf.flatMap((each) => settingsIn(each, path).slice(1)),
  ];
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

function allows(node: Node, value: unknown): boolean {
  if (node.anyOf) return node.anyOf.some((each) => allows(each, value));
  if ("const" in node) return node.const === value;
  if (node.enum) return node.enum.includes(value);
  const types = [node.type ?? []].flat().map((type) => (type === "integer" ? "number" : type));
  return types.length === 0 || types.includes(typeOf(value));
}

/** Values that the setting cannot have, whatever stands beside it. */
const wrongFor = (node: Node): unknown[] => [
  ...["text", 5, true, null, [], { nothing: 1 }].filter((value) => !allows(node, value)),
  ...(node.minimum === undefined ? [] : [node.minimum - 1]),
  ...(node.maximum === undefined ? [] : [node.maximum + 1]),
  ...[node, ...(node.anyOf ?? [])].flatMap(({ minItems }) => (minItems === undefined ? [] : [[]])),
];

const around = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, part) => (typeof part === "number" ? [inner] : { [part]: inner }), value);

const settings = settingsIn(configJsonSchema() as Node, []).filter(({ path }) => path.length > 0);

test("a wrong value of any setting is a problem that names its path and says what would be right", () => {
  let tried = 0;
  for (const { path, node } of settings)
    for (const wrong of wrongFor(node)) {
      tried++;
      const said = `${formatPath(path)} = ${JSON.stringify(wrong)}`;
      const result = parseValue(around(path, wrong));
      assert.ok(!result.ok, said);
      const found = result.problems.filter((problem) => problem.path === formatPath(path));
      assert.equal(found.length, 1, `${said}: ${JSON.stringify(result.problems)}`);
      assert.match(found[0]?.message ?? "", /^(must |is missing)/, said);
      assert.doesNotMatch(found[0]?.message ?? "", /undefined|NaN|\[object|expected|received/i, said);
      if (Array.isArray(wrong) && wrong.length === 0 && allows(node, wrong))
        assert.match(found[0]?.message ?? "", /^must not be an empty list/, said);
    }
  assert.ok(tried > 500, String(tried));
});

test("an unknown name in any object is a problem at its path", () => {
  for (const { path, node } of settings.filter(({ node }) => node.additionalProperties === false)) {
    const result = parseValue(around([...path, "nonesuch"], 1));
    const at = formatPath([...path, "nonesuch"]);
    const messages = result.ok ? [] : result.problems.filter((problem) => problem.path === at);
    assert.match(
      messages[0]?.message ?? "",
      /^(unknown setting|must )/,
      `${at}: ${JSON.stringify(node.type)}`,
    );
  }
});

test("an empty list, a missing file and a value of several forms each have their own words", () => {
  const problemsOf = (value: object) => {
    const result = parseValue(value);
    return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
  };
  const filtered = (payload: object) => ({ hooks: { mappings: [{ match: { path: "a", payload } }] } });
  assert.deepEqual(problemsOf(filtered({ action: [] })), [
    "hooks.mappings[0].match.payload.action: must not be an empty list: name at least one value, or leave the setting out",
  ]);
  assert.deepEqual(problemsOf(filtered({ action: {} })), [
    "hooks.mappings[0].match.payload.action: must have an operator: not, exists, contains, startsWith, endsWith, matches, above or below",
  ]);
  assert.deepEqual(problemsOf({ store: { url: { file: "db" } } }), [
    "store.url: there is no file of this name (ENOENT); names are relative to /home/rouse",
  ]);
  const serverWith = (server: object) => problemsOf({ mcp: { servers: { x: server } } });
  assert.deepEqual(serverWith({ command: 5 }), [
    "mcp.servers.x.command: must be text, not a number: put it in double quotes",
  ]);
  for (const both of [{ command: "a", url: "http://b" }, {}])
    assert.deepEqual(serverWith(both), ['mcp.servers.x: must have either "url" or "command"']);
  assert.match(serverWith({ comand: "a" }).join(), /did you mean `command`\?/);
});
