import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "./retry-after.ts";

test("milliseconds before seconds, seconds before dates", () => {
  assert.equal(retryAfterMs({ "retry-after-ms": "1500.2", "retry-after": "9" }), 1501);
  assert.equal(retryAfterMs({ "retry-after": "3600" }), 3_600_000);
  assert.equal(retryAfterMs({ "retry-after": " 0.5 " }), 500);
});

test("a date counts from the server's own", () => {
  const at = (time: string) => `Tue, 03 Mar 2026 ${time} GMT`;
  assert.equal(retryAfterMs({ "retry-after": at("10:02:00"), date: at("10:00:00") }), 120_000);
  assert.equal(retryAfterMs({ "retry-after": at("09:00:00"), date: at("10:00:00") }), 0);
  assert.equal(retryAfterMs({ "retry-after": at("10:02:00") }), null);
});

test("nothing, or nothing that can be read", () => {
  for (const written of ["", "soon", "-5", "1e9"])
    assert.equal(retryAfterMs({ "retry-after": written }), null);
  assert.equal(retryAfterMs({}), null);
});
