// Server-sent events from a service that may send anything, cut anywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { EventTooLong, readEvents, type ServerEvent } from "./events.ts";

const piece = fc.oneof(
  fc.constantFrom(
    "data:",
    "data: ",
    "event: x",
    "id: 1",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\r\n\r\n",
    "é😀",
    "data",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const stream = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join(""))),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
);

async function* cutAt(bytes: Buffer, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const cuts = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const cut of cuts) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function read(chunks: AsyncIterable<Uint8Array>, longest: number): Promise<ServerEvent[] | "too long"> {
  const events: ServerEvent[] = [];
  try {
    for await (const event of readEvents(chunks, longest)) events.push(event);
    return events;
  } catch (fault) {
    assert.ok(fault instanceof EventTooLong, String(fault));
    return "too long";
  }
}

test("chunk borders change nothing, and the only fault is an event that is too long", async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(200), { maxLength: 8 }), async (bytes, places) => {
      const whole = await read(cutAt(bytes, []), 10_000);
      assert.deepEqual(await read(cutAt(bytes, places), 10_000), whole);
      assert.ok(whole !== "too long");
      for (const { name, data } of whole) {
        assert.ok(name !== "" && !/[\r\n]/.test(name));
        assert.doesNotMatch(data, /\r/);
      }
    }),
    cases(600),
  );
});

test("no event is longer than allowed", async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.integer({ min: 1, max: 40 }), async (bytes, longest) => {
      const events = await read(cutAt(bytes, [3, 9]), longest);
      if (events !== "too long") for (const { data } of events) assert.ok(data.length <= longest);
    }),
    cases(200),
  );
});
