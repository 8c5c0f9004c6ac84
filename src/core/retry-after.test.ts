import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfter } from "./retry-after.ts";

test("seconds, with a fraction or without, or a date", () => {
  const now = Date.parse("Tue, 17 Nov 2026 10:00:00 GMT");
  assert.equal(parseRetryAfter("3600", now), 3_600_000);
  assert.equal(parseRetryAfter(" 0.5 ", now), 500);
  assert.equal(parseRetryAfter("0", now), 0);
  assert.equal(parseRetryAfter("Tue, 17 Nov 2026 10:02:00 GMT", now), 120_000);
  assert.equal(parseRetryAfter("Tue, 17 Nov 2026 09:00:00 GMT", now), 0);
});

test("anything else is null", () => {
  for (const written of [undefined, null, "", "soon", "-1", "1e9", "12345678901", "NaN"])
    assert.equal(parseRetryAfter(written, 0), null, String(written));
  assert.equal(parseRetryAfter("Tue, 17 Nov 2026 10:00:00 GMT", Number.NaN), null);
});
