// Rules that every test file keeps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { propertyFiles, withoutCases } from "./support/properties.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every property takes its number of cases and its seed from cases()", () => {
  const files = propertyFiles(root).filter(({ path }) => path !== "test/rules.test.ts");
  assert.ok(files.length > 15);
  assert.deepEqual(files.flatMap(withoutCases), []);
});

test("a property without cases() is found", () => {
  const text = ["fc.assert(property, cases(5));", "fc.assert(property);", "fc.assert(", "  property,", ");"];
  assert.deepEqual(withoutCases({ path: "a.test.ts", text: text.join("\n") }), [
    "a.test.ts:2",
    "a.test.ts:3",
  ]);
});
