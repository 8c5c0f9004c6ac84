import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "./retry-after.ts";

test("milliseconds win over seconds, seconds over dates", () => {
  assert.equal(retryAfterMs({ "retry-after-ms": "1500.2", "retry-after": "9" }), 1501);
  assert.equal(retryAfterMs({ "retry-after": "3600" }), 3_600_000);
  assert.equal(retryAfterMs({ "retry-after": " 0.5 " }), 500);
});

test("a date is compared with the server's Date", () => {
  const at = (time: string) => `Tue, 03 Mar 2026 ${time} GMT`;
  assert.equal(retryAfterMs({ "retry-after": at("10:02:00"), date: at("10:00:00") }), 120_000);
  assert.equal(retryAfterMs({ "retry-after": at("09:00:00"), date: at("10:00:00") }), 0);
  assert.equal(retryAfterMs({ "retry-after": at("10:02:00") }), null);
});

test("null without a readable header", () => {
  for (const written of ["", "soon", "-5", "1e9"])
    assert.equal(retryAfterMs({ "retry-after": written }), null);
  assert.equal(retryAfterMs({}), null);
});
