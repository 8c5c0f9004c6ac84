// Rules that every file keeps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filesUnder } from "./support/docs.ts";
import { propertyFiles, withoutCases } from "./support/properties.ts";
import { spreadCalls } from "./support/spread-calls.ts";

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

test("no list is spread into the arguments of a call: a long one overflows the stack", () => {
  const files = filesUnder(root, "src", ".ts").filter(({ path }) => !/\.(?:test|contract)\.ts$/.test(path));
  assert.ok(files.length > 300);
  assert.deepEqual(files.flatMap(spreadCalls), []);
});

test("a list that is spread into arguments is found", () => {
  const text = [
    "a.push(...b);",
    "Math.max(0,",
    "  ...c.map((d) => f(d)),",
    ");",
    "e.push({ ...f });",
    "g([...h]);",
  ];
  assert.deepEqual(spreadCalls({ path: "a.ts", text: text.join("\n") }), ["a.ts:1", "a.ts:2"]);
});

/** Of a sender's request, the body has been read already. */
const wholeBody = /(?<!\brequest)\.(?:json|text|arrayBuffer|blob|bytes|formData)\(\)/;

test("no response is read whole without a limit: only core/response-body does, behind one", () => {
  const sources = filesUnder(root, "src", ".ts").filter(({ path }) => !/\.(?:test|contract)\.ts$/.test(path));
  assert.ok(sources.length > 300);
  const found = sources.filter(({ text }) => wholeBody.test(text)).map(({ path }) => path);
  // The client runs elsewhere, and asks a gateway that its user trusts.
  assert.deepEqual(found, ["src/core/response-body.ts", "src/sdk/client/client.ts"]);
});
