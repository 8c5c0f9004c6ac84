import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownTag } from "./entity-tag.ts";
import { preferred, preferredWait, prefersEvents } from "./prefer.ts";

const prefer = (...values: string[]): string[] => values.flatMap((value) => ["Prefer", value]);

test("a preference is found among others, in whatever case, with or without quotes and parameters", () => {
  assert.equal(preferred(prefer("respond-async, wait=10"), "wait"), "10");
  assert.equal(preferred(prefer("respond-async", "WAIT = 10"), "wait"), "10");
  assert.equal(preferred(prefer('wait="10"; a=b; c ; ;d="e;f,g"'), "wait"), "10");
  assert.equal(preferred(prefer('x="a \\" , wait=3", wait=4'), "wait"), "4");
  assert.equal(preferred(prefer('note="a\\\\b\\"c"'), "note"), 'a\\b"c');
  assert.equal(preferred(prefer("respond-async"), "respond-async"), "");
  assert.equal(preferred(prefer("wait="), "wait"), "");
  assert.equal(preferred(prefer("wait=3, wait=4"), "wait"), "3");
  assert.equal(preferred(prefer(", ,wait=3,"), "wait"), "3");
});

test("what is malformed is left out, and what stands beside it is not", () => {
  for (const written of [
    "wait=1 0",
    "wait;=",
    "=3",
    "wait=a b",
    'wait="3',
    "w ait=3",
    'wait="3"4',
    "",
    "wait=3;a b",
  ])
    assert.equal(preferred(prefer(written), "wait"), null, written);
  assert.equal(preferred(prefer("a b, wait=3"), "wait"), "3");
  assert.equal(preferred(prefer("wait=1 0, wait=3"), "wait"), "3");
  assert.equal(preferred(prefer(`wait=3${" ".repeat(1000)}`), "wait"), null);
  assert.equal(preferred([], "wait"), null);
});

test("a wait is a whole number of seconds, at most a minute", () => {
  for (const [written, seconds] of [
    ["1", 1],
    ["60", 60],
    ["61", 60],
    ["0060", 60],
    [`9${"9".repeat(400)}`, 60],
    ["0", null],
    ["-1", null],
    ["+1", null],
    ["1.5", null],
    ["0x10", null],
    ["1e1", null],
    ["", null],
  ] as const)
    assert.equal(preferredWait(prefer(`wait=${written}`)), seconds, written);
});

test("events are sent only to those who like them better than JSON", () => {
  const likes = (...values: string[]) => prefersEvents(values.flatMap((value) => ["accept", value]));
  for (const yes of [
    "text/event-stream",
    "Text/Event-Stream; charset=utf-8",
    "application/json;q=0.5, text/event-stream",
    "text/event-stream, */*;q=0.1",
  ])
    assert.equal(likes(yes), true, yes);
  for (const no of [
    "application/json, text/event-stream",
    "text/event-stream, */*",
    "text/event-stream;q=0",
    "text/*",
    "*/*",
    "",
    "text/event-stream2",
  ])
    assert.equal(likes(no), false, no);
  assert.equal(likes("application/json;q=0.2", "text/event-stream;q=0.3"), true);
  assert.equal(prefersEvents([]), false);
});

test("a tag is known where a list names it, weak or not, or names everything", () => {
  const knows = (...values: string[]) =>
    isKnownTag(
      values.flatMap((value) => ["If-None-Match", value]),
      '"a-1"',
    );
  for (const yes of ['"a-1"', 'W/"a-1"', '"b", "a-1"', "*", ' "a,b" ,W/"a-1"'])
    assert.equal(knows(yes), true, yes);
  for (const no of ["", '"a-2"', "a-1", '"a-1', '"b"a-1"', "W/*"]) assert.equal(knows(no), false, no);
  assert.equal(knows('"b"', '"a-1"'), true);
});
