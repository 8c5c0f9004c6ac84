import assert from "node:assert/strict";
import { test } from "node:test";
import { carriedTrace, noSpan, readTraceHeaders, traceHeaders } from "./trace.ts";

const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("the standard's traceparent is read, with its tracestate", () => {
  assert.equal(readTraceHeaders(good, undefined), good);
  assert.equal(readTraceHeaders(` ${good} `, "a=1, b=2"), `${good} a=1, b=2`);
  assert.equal(readTraceHeaders(good.replace(/01$/, "00"), ""), good.replace(/01$/, "00"));
});

test("of a later version the known fields are read", () => {
  assert.equal(readTraceHeaders(good.replace(/^00/, "cc"), undefined), good);
  assert.equal(readTraceHeaders(`${good.replace(/^00/, "cc")}-what-comes-then`, undefined), good);
});

test("anything else is null", () => {
  const bad = [
    undefined,
    "",
    "00",
    good.toUpperCase(),
    good.slice(1),
    `${good}-more`,
    good.replace(/^00/, "ff"),
    good.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
    good.replace("b7ad6b7169203331", "0".repeat(16)),
    good.replaceAll("-", "_"),
    good.replace("b7ad", "b7ag"),
    `${good},${good}`,
    `${good}\r\nx: y`,
  ];
  for (const each of bad) assert.equal(readTraceHeaders(each, "a=1"), null, String(each));
});

test("a tracestate that is too long or unreadable is dropped", () => {
  for (const state of ["a=\u00e9", "a=1\u0000", "x".repeat(513)])
    assert.equal(readTraceHeaders(good, state), good);
});

test("outgoing headers equal the incoming ones", () => {
  assert.deepEqual(traceHeaders(null), {});
  assert.deepEqual(traceHeaders(good), { traceparent: good });
  assert.deepEqual(traceHeaders(`${good} a=1, b=2`), { traceparent: good, tracestate: "a=1, b=2" });
});

test("without a recorder the trace context is passed on", () => {
  assert.equal(carriedTrace.start("x", { kind: "server", parent: null }), noSpan);
  const span = carriedTrace.start("x", { kind: "server", parent: good });
  assert.equal(span.context, good);
  assert.equal(
    span.during(() => 7),
    7,
  );
});
