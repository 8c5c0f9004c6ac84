import assert from "node:assert/strict";
import { test } from "node:test";
import { addReport, usedBy } from "./report.ts";

test("tokens are priced by the million, where a price is known", () => {
  const report = { usage: { inputTokens: 2_000_000, outputTokens: 500_000 } };
  assert.deepEqual(usedBy(report, { input: 3, output: 10 }), {
    inputTokens: 2_000_000,
    outputTokens: 500_000,
    cost: 11,
  });
  assert.equal(usedBy(report, undefined)?.cost, 0);
  assert.equal(usedBy({}, undefined), null);
  assert.equal(usedBy({ usage: { inputTokens: 0, outputTokens: 0 } }, undefined), null);
});

test("attempts add up; a tool or a warning is named once", () => {
  const used = { inputTokens: 1, outputTokens: 2, cost: 0.5 };
  const first = addReport(null, { warnings: ["w"], toolsUsed: ["read"] }, used, ["read", "write"]);
  const second = addReport(first, { warnings: ["w", "x"], toolsUsed: ["read", "write"] }, used, ["read"]);
  assert.deepEqual(second, {
    inputTokens: 2,
    outputTokens: 4,
    cost: 1,
    warnings: ["w", "x"],
    toolsGranted: ["read"],
    toolsUsed: ["read", "write"],
  });
  assert.deepEqual(addReport(null, undefined, null, []).warnings, []);
});
