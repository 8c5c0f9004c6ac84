// Parsers of small values: durations, Retry-After, session keys, trace headers.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { parseDuration } from "./duration.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { sessionKeyFault } from "./session-key.ts";
import { partsOf, readTraceHeaders } from "./trace.ts";

const digits = fc.constantFrom(
  "0",
  "1",
  "90",
  ".",
  "-",
  "e",
  "9".repeat(400),
  " ",
  "ms",
  "s",
  "m",
  "h",
  "d",
  "x",
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(digits, { maxLength: 5 }).map((each) => each.join("")),
);

test("any text is a duration of at least 0, or null", () => {
  fc.assert(
    fc.property(text, (written) => {
      const found = parseDuration(written);
      assert.ok(found === null || found >= 0, written);
    }),
    cases(3000),
  );
});

test("whole numbers of a unit are exact", () => {
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
  const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
  fc.assert(
    fc.property(fc.nat(100_000), unit, fc.constantFrom("", " "), (count, name, gap) => {
      assert.equal(parseDuration(`${count}${gap}${name}`), count * units[name]);
    }),
    cases(500),
  );
});

test("any Retry-After is a finite delay, or null", () => {
  const date = fc.date({ noInvalidDate: true }).map((at) => at.toUTCString());
  fc.assert(
    fc.property(
      fc.oneof(text, date, fc.double().map(String)),
      fc.oneof(fc.integer(), fc.constant(Number.NaN)),
      (written, now) => {
        const found = parseRetryAfter(written, now);
        assert.ok(found === null || (found >= 0 && Number.isFinite(found)), written);
      },
    ),
    cases(3000),
  );
});

test("any session key is valid or has a fault, and a valid one has only visible characters", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ maxLength: 300 })), (key) => {
      if (sessionKeyFault(key) !== null) return;
      assert.ok(key.length > 0 && key.length <= 200);
      assert.equal(key, key.trim());
      assert.doesNotMatch(key, /\s|\p{Cc}|\p{Cf}|\p{Cs}/u);
    }),
    cases(3000),
  );
});

test("any traceparent and tracestate are a context that can be passed on, or null", () => {
  const hex = fc.constantFrom(
    "0",
    "a",
    "f",
    "-",
    "00",
    "ff",
    "0".repeat(16),
    "a".repeat(16),
    "b".repeat(32),
    "X",
    " ",
  );
  const parent = fc.oneof(
    text,
    fc.array(hex, { maxLength: 9 }).map((each) => each.join("")),
    fc.tuple(hex, hex, hex, hex).map((parts) => parts.join("-")),
    fc.constantFrom(
      undefined,
      `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      `cc-${"a".repeat(32)}-${"b".repeat(16)}-01-x`,
    ),
  );
  fc.assert(
    fc.property(
      parent,
      fc.oneof(text, fc.constantFrom(undefined, "a=1,b=2", "x".repeat(600))),
      (traceparent, tracestate) => {
        const context = readTraceHeaders(traceparent, tracestate);
        if (context === null) return;
        const [written, state] = partsOf(context);
        assert.match(written, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/);
        assert.ok(state.length <= 512);
        assert.match(state, /^[ -~]*$/);
      },
    ),
    cases(2000),
  );
});
