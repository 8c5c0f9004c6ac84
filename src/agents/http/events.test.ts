import assert from "node:assert/strict";
import { test } from "node:test";
import { EventTooLong, readEvents } from "./events.ts";

async function* pieces(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === "string" ? Buffer.from(text) : text;
}

const read = async (...texts: (string | Uint8Array)[]) => {
  const events: string[] = [];
  for await (const { name, data } of readEvents(pieces(...texts), 100)) events.push(`${name}=${data}`);
  return events;
};

test("names and data are read, other fields ignored", async () => {
  const text = ": hello\nid: 7\nretry: 10\nevent: one\ndata: 1\n\ndata:2\ndata:  3\ndata\n\nnothing: 4\n\n";
  assert.deepEqual(await read(text), ["one=1", "message=2\n 3\n"]);
});

test("every kind of line end is read, wherever the chunks are cut", async () => {
  const text = "\ufeffdata: a\r\ndata: b\r\n\r\ndata: ü🙂\r\rdata: c\n\nevent: x\ndata: d\r\n\r\n";
  const expected = ["message=a\nb", "message=ü🙂", "message=c", "x=d"];
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++)
    assert.deepEqual(await read(bytes.subarray(0, at), bytes.subarray(at)), expected, `cut at ${at}`);
  assert.deepEqual(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
});

test("an event without its empty line counts when the stream has ended", async () => {
  assert.deepEqual(await read("data: a\n\ndata: b"), ["message=a", "message=b"]);
  assert.deepEqual(await read("data: a\r"), ["message=a"]);
});

test("an event without an end is bounded", async () => {
  await assert.rejects(read(`data: ${"x".repeat(200)}`), EventTooLong);
  await assert.rejects(read("data: 0123456789\n".repeat(20)), EventTooLong);
  await assert.rejects(read("x".repeat(60), "x".repeat(60)), EventTooLong);
  assert.equal((await read("data: 0123456789\n\n".repeat(20))).length, 20);
});
