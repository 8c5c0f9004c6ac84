import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { catalogue, faultKind, isRefusal, refuse, StoreUnavailable } from "./errors.ts";

const docs = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const rows = [
  ...docs.matchAll(/^\| (\d{3}) \| (?:<a id="[a-z-]+"><\/a>)?`([a-z-]+)` \| .+ \| (yes|no) \| .+ \|$/gm),
];

test("docs/errors.md lists exactly the catalogue", () => {
  const listed = rows.map(([, status, code, retry]) => `${code} ${status} ${retry}`);
  const expected = Object.entries(catalogue).map(
    ([code, { status, retry }]) => `${code} ${status} ${retry ? "yes" : "no"}`,
  );
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test("every message is one or two sentences without a code", () => {
  for (const [code, { text }] of Object.entries(catalogue)) {
    assert.match(text, /^[A-Z].*\.$/, code);
    assert.ok(!text.includes("\n"), code);
  }
});

test("a refusal is a plain value", () => {
  const refusal = refuse("too-many-failures", { retryAfterSeconds: 3 });
  assert.ok(isRefusal(refusal));
  assert.ok(!(refusal instanceof Error));
  assert.deepEqual(refusal, { refused: "too-many-failures", retryAfterSeconds: 3 });
});

test("a fault's kind never shows its message", () => {
  assert.equal(faultKind(new StoreUnavailable("secret")), "StoreUnavailable");
  assert.equal(faultKind(Object.assign(new Error("secret"), { code: "ENOSPC" })), "ENOSPC");
  assert.equal(faultKind("secret"), "string");
});
