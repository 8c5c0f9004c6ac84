// Properties of paths, for any path and any payload.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { parseFieldPath, readField, replaceField } from "./field-path.ts";

const pieces = fc.constantFrom(
  "a",
  "b",
  ".",
  "[",
  "]",
  "0",
  "12",
  " ",
  "__proto__",
  "constructor",
  "é",
  "\0",
);
const written = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 12 }).map((each) => each.join("")),
);
const name = fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor", "length", "0"), fc.string());
const payload = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, 1, "x", true),
    fc.array(tie("value"), { maxLength: 3 }),
    // As JSON.parse makes it: a field named __proto__ is a field.
    fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

test("any text is a path of names and numbers, or none", () => {
  fc.assert(
    fc.property(written, (text) => {
      const path = parseFieldPath(text);
      if (path === null) return;
      assert.ok(path.length > 0);
      for (const part of path)
        assert.ok(typeof part === "number" ? Number.isSafeInteger(part) : /^[^.[\]\s]+$/.test(part), text);
    }),
    cases(3000),
  );
});

test("a formatted path is parsed back", () => {
  const word = fc.stringMatching(/^[^.[\]\s]+$/);
  const path = fc.tuple(word, fc.array(fc.oneof(word, fc.nat(999_999_999)), { maxLength: 5 }));
  fc.assert(
    fc.property(path, ([first, rest]) => {
      const text = first + rest.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
      assert.deepEqual(parseFieldPath(text), [first, ...rest]);
    }),
    cases(300),
  );
});

test("only own values of the payload are read, and a replaced value is read at its path", () => {
  const path = fc.array(fc.oneof(name, fc.nat(3)), { maxLength: 4 });
  fc.assert(
    fc.property(payload, path, (value, path) => {
      const text = JSON.stringify(value);
      const found = readField(value, path);
      assert.notEqual(typeof found, "function");
      if (found === undefined) return;
      assert.equal(readField(replaceField(value, path, "put"), path), "put");
      assert.equal(JSON.stringify(value), text);
    }),
    cases(3000),
  );
});
