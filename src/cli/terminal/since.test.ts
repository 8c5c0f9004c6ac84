import assert from "node:assert/strict";
import test from "node:test";
import { WrongUsage } from "../command.ts";
import { readSince, sinceMoment } from "./since.ts";

const hourMs = 3_600_000;
const now = Date.parse("2026-11-19T08:00:00Z");

test("since is a duration before now, or a time with its zone", () => {
  for (const [written, moment] of [
    ["30m", now - hourMs / 2],
    ["1h", now - hourMs],
    ["2d", now - 48 * hourMs],
    [" 90s ", now - 90_000],
    ["99999999d", 0],
    ["2026-11-19T07:00:00Z", now - hourMs],
    ["2026-11-19T08:00+01:00", now - hourMs],
    ["2026-11-18", Date.parse("2026-11-18T00:00:00Z")],
  ] as const)
    assert.equal(sinceMoment(readSince(written), now), moment, written);
});

test("what is neither, and a time in the future, is wrong usage that says what is expected", () => {
  const bad = ["", "1", "0", "1w", "-1h", "yesterday", "2026-11-19T07:00:00", "2026-02-30", "2026-13-01"];
  for (const written of [...bad, "2026-11-19T24:10Z", "2026-11-19 07:00Z"])
    assert.throws(
      () => readSince(written),
      (fault) => fault instanceof WrongUsage && /30m, 1h or 2d/.test(fault.message),
      written,
    );
  assert.throws(() => sinceMoment(readSince("2026-11-19T08:00:01Z"), now), /future/);
});
