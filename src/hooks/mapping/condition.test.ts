import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, MappingConfig } from "../../config/config.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { parseFilterPath, readFields } from "../../core/field-path.ts";
import { assertLinear } from "../../../test/support/growth.ts";
import { mappingsOf } from "../../../test/fixtures/mapping-config.ts";
import { holds } from "./condition.ts";
import { compilePatterns, createSearch, noPatterns, TooMuchSearching } from "./pattern.ts";

/** Whether a filter as it is written takes a payload of this JSON. */
async function takes(filter: Record<string, unknown>, payload: unknown, oneIsList = false): Promise<boolean> {
  const mappings = mappingsOf([{ match: { payload: filter } }]);
  const { patterns, faults } = await compilePatterns(mappings);
  assert.deepEqual(faults, []);
  const [{ path, wanted }] = mappings[0]!.match.payload as [MappingConfig["match"]["payload"][number]];
  const value = typeof payload === "string" ? parseExactJson(payload) : payload;
  return holds(wanted, readFields(value, path, oneIsList), createSearch(patterns));
}

type Row = [condition: unknown, fits: unknown[], others: unknown[]];

const table = (title: string, rows: Row[]): void =>
  void test(title, async () => {
    for (const [condition, fits, others] of rows) {
      const said = (value: unknown) => `${JSON.stringify(condition)} ${JSON.stringify(value)}`;
      for (const value of fits) assert.equal(await takes({ a: condition }, { a: value }), true, said(value));
      for (const value of others)
        assert.equal(await takes({ a: condition }, { a: value }), false, said(value));
    }
  });

table("text: contains, startsWith, endsWith, matches", [
  [{ contains: "b" }, ["abc", "b"], ["ac", "B", "", 1, null, {}]],
  [{ startsWith: "ab" }, ["abc", "ab"], ["cab", 12, ["ab"]]],
  [{ endsWith: "bc" }, ["abc", "bc"], ["bcd", null]],
  [{ matches: "^v\\d+$" }, ["v1", "v22"], ["av1", "v", "v1b", 1, ["v1"]]],
  [{ matches: "b" }, ["abc"], ["ac"]],
  [{ matches: "(?i)CRITICAL|high" }, ["is Critical", "high"], ["low"]],
]);

table("contains: an element of a list, with its type", [
  [{ contains: "b" }, [["a", "b"]], [[["b"]], ["abc"], []]],
  [{ contains: 2 }, [[1, 2]], [["2"], 2, "2", { 2: 2 }]],
  [{ contains: null }, [[null]], [null, []]],
]);

table("above and below: numbers, and digits in text", [
  [
    { above: 3 },
    [3.5, 4, "4", "3.01", 1e300],
    [3, 2, "3", "", " 4", "four", "0x10", "Infinity", null, true, [4], { a: 4 }],
  ],
  [{ below: 0 }, [-1, "-0.5", "-1e3"], [0, 1, "0", ""]],
  [{ above: 3, below: 5 }, [4, "4.9"], [3, 5, 6]],
  [{ above: -1.5 }, [-1, 0], [-1.5, -2]],
]);

table("several operators of one object must all hold; of a list, one", [
  [{ startsWith: "a", endsWith: "z", contains: "-" }, ["a-z"], ["az", "a-", "-z"]],
  [
    ["x", { startsWith: "a" }, { above: 3 }],
    ["x", "ab", 4],
    ["y", 3],
  ],
]);

table("not: none of it holds, also where there is nothing", [
  [{ not: "closed" }, ["open", 1, null, [], undefined], ["closed"]],
  [{ not: ["a", "b"] }, ["c"], ["a", "b"]],
  [{ not: { startsWith: "a" } }, ["b", 1, undefined], ["a", "ab"]],
  [{ not: ["x", { above: 3, below: 9 }] }, [3, 9, "y"], ["x", 4]],
  [{ not: "a", exists: true }, ["b", null], ["a", undefined]],
  [{ startsWith: "a", not: { endsWith: "z" } }, ["ab"], ["az", "b"]],
]);

table("exists: a value, null included", [
  [{ exists: true }, [1, null, "", [], {}], [undefined]],
  [{ exists: false }, [undefined], [1, null, ""]],
  [[{ exists: false }, "x"], [undefined, "x"], ["y"]],
]);

test("numbers keep their digits", async () => {
  const large = '{"a":12345678901234567891}';
  assert.equal(await takes({ a: { above: "12345678901234567890" } }, large), true);
  assert.equal(await takes({ a: { above: "12345678901234567891" } }, large), false);
  assert.equal(await takes({ a: { below: "12345678901234567892" } }, large), true);
  assert.equal(await takes({ a: { below: "12345678901234567891" } }, { a: "12345678901234567890" }), true);
  assert.equal(await takes({ a: { above: 3 } }, '{"a":3.0}'), false);
  assert.equal(await takes({ a: { above: 3 } }, '{"a":1e400}'), true);
  assert.equal(await takes({ a: { contains: 1 } }, '{"a":[1.0]}'), true);
  assert.equal(await takes({ a: { not: 1 } }, '{"a":1.0}'), false);
  assert.equal(await takes({ a: { above: 3 } }, { a: "9".repeat(1001) }), false, "too long for a number");
});

test("[*] is any element; not is about all of them", async () => {
  const labels = { labels: [{ name: "bug" }, { name: "area/api" }, { id: 3 }, "text"] };
  const name = "labels[*].name";
  assert.equal(await takes({ [name]: "bug" }, labels), true);
  assert.equal(await takes({ [name]: ["x", "area/api"] }, labels), true);
  assert.equal(await takes({ [name]: "wip" }, labels), false);
  assert.equal(await takes({ [name]: { not: "wip" } }, labels), true);
  assert.equal(await takes({ [name]: { not: "bug" } }, labels), false);
  assert.equal(await takes({ [name]: { startsWith: "area/", not: "wip" } }, labels), true);
  assert.equal(
    await takes({ [name]: { startsWith: "b", endsWith: "api" } }, labels),
    false,
    "of one element",
  );
  assert.equal(await takes({ [name]: { exists: true } }, { labels: [] }), false);
  assert.equal(await takes({ [name]: { exists: false } }, { labels: [{}, 1, null] }), true);
  for (const payload of [{}, { labels: {} }, { labels: { name: "bug" } }, { labels: "bug" }, null, []])
    assert.equal(await takes({ [name]: "bug" }, payload), false);
  assert.equal(await takes({ "[*]": 2 }, [1, 2]), true);
  assert.equal(await takes({ "a[*][*].b": 2 }, { a: [[{ b: 1 }], [{ b: 2 }]] }), true);
  assert.equal(await takes({ "a[*].b[0]": 2 }, { a: [{ b: [1, 2] }, { b: [2] }] }), true);
});

test("in a form or XML, one value is a list of one", async () => {
  const one = { item: { sku: "x" } };
  assert.equal(await takes({ "item[*].sku": "x" }, one), false);
  assert.equal(await takes({ "item[*].sku": "x" }, one, true), true);
  assert.equal(await takes({ "item[*].sku": "x" }, { item: [{ sku: "y" }, { sku: "x" }] }, true), true);
  assert.equal(await takes({ "other[*].sku": { exists: true } }, one, true), false);
});

test("only own fields are seen", async () => {
  assert.equal(await takes({ "a.constructor": { exists: true } }, { a: {} }), false);
  assert.equal(await takes({ "a[*].length": { exists: true } }, { a: ["text", [1]] }), false);
});

test("a path with [*] is read like the paths between", () => {
  assert.deepEqual(parseFilterPath("a.b[0]"), [["a", "b", 0]]);
  assert.deepEqual(parseFilterPath("a[*].b[1][*]"), [["a"], ["b", 1], []]);
  assert.deepEqual(parseFilterPath("[*][2].x"), [[], [2, "x"]]);
  for (const written of ["a[*]b", "a[*].", "a.[*]", "[*", "a[*].[0]", "", "a[*] .b"])
    assert.equal(parseFilterPath(written), null, written);
});

test("patterns are compiled once each, and their faults say where they are", async () => {
  const mappings = mappingsOf([
    { match: { path: "a", payload: { x: { matches: "a(b" } } } },
    { match: { path: "b", headers: { h: ["v", { not: [{ matches: "(?=a)" }] }] } } },
    {
      match: {
        path: "c",
        payload: { x: { matches: "(a{1000}){1000}" }, y: { matches: "fine" }, z: { matches: "fine" } },
      },
    },
    { match: { path: "d", payload: { x: { matches: "\\pL{900}".repeat(9) } } } },
  ]);
  const { patterns, faults } = await compilePatterns(mappings);
  assert.deepEqual([...patterns.keys()], ["fine"]);
  assert.deepEqual(
    faults.map(({ mapping, setting, message }) => [mapping.id, setting.join("."), message]),
    [
      [
        "mapping-1",
        "match.payload.x",
        'matches: is no pattern of RE2: missing closing ) at column 1 of "a(b"',
      ],
      [
        "mapping-2",
        "match.headers.h",
        'matches: is no pattern of RE2: invalid or unsupported Perl syntax at column 1 of "(?=a)"',
      ],
      [
        "mapping-3",
        "match.payload.x",
        'matches: is no pattern of RE2: invalid repeat count at column 10 of "(a{1000}){1000}"',
      ],
      [
        "mapping-4",
        "match.payload.x",
        `matches: is too large a pattern: ${JSON.stringify("\\pL{900}".repeat(9))}`,
      ],
    ],
  );
  assert.equal((await compilePatterns(mappingsOf([{}]))).patterns, noPatterns);
});

test("the work of a pattern grows with the text, and never with its square", async () => {
  const wanted = ["(x+x+)+y", "(\\pL{1,10}){1,90}\\d", "(?:x?){300}x{300}y"];
  const mappings = mappingsOf(
    wanted.map((matches) => ({ match: { path: matches.length.toString(), payload: { a: { matches } } } })),
  );
  const { patterns, faults } = await compilePatterns(mappings);
  assert.deepEqual(faults, []);
  for (const [source, { test: find }] of patterns)
    assertLinear(source, 5_000, (size) => find("x".repeat(size)));
});

test("the patterns of one request have a budget together", async () => {
  const mappings = mappingsOf([{ match: { payload: { "a[*]": { matches: "(x+x+)+y" } } } }]);
  const { patterns } = await compilePatterns(mappings);
  const wanted: Condition[] = [{ matches: "(x+x+)+y" }];
  assert.equal(holds(wanted, ["x".repeat(100_000)], createSearch(patterns)), false);
  const values = Array.from({ length: 100 }, () => "x".repeat(10_000));
  assert.throws(() => holds(wanted, values, createSearch(patterns)), TooMuchSearching);
});
