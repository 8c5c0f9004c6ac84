import assert from "node:assert/strict";
import { test } from "node:test";
import { momentOf } from "./moment.ts";

const now = Date.parse("2026-01-02T00:00:00Z");

test("a moment is a time with its zone, a day, or how long ago", () => {
  assert.equal(momentOf("2026-01-01T12:00:00+01:00", now), Date.parse("2026-01-01T11:00:00Z"));
  assert.equal(momentOf("2026-01-01", now), Date.parse("2026-01-01T00:00:00Z"));
  assert.equal(momentOf("1h", now), now - 3_600_000);
  assert.equal(momentOf("100000d", now), 0);
  for (const wrong of ["", "soon", "2026-01-01T12:00:00", "2026-13-01", "-1h", "1"])
    assert.equal(momentOf(wrong, now), null, wrong);
});
