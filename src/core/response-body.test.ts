import assert from "node:assert/strict";
import { test } from "node:test";
import { bounded, boundedFetch, readText, TooLarge, tooLargeIn } from "./response-body.ts";

/** A response in these chunks, and whether its source was let go. */
function responding(chunks: readonly string[], type = "text/event-stream") {
  const pending = [...chunks];
  const seen = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pending.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(Buffer.from(next));
    },
    cancel: () => void (seen.cancelled = true),
  });
  return {
    response: new Response(body, { status: 201, headers: { "content-type": type, "x-a": "b" } }),
    seen,
  };
}

const message = async (work: Promise<unknown>): Promise<string> => {
  const fault: unknown = await work.catch((cause: unknown) => cause);
  return fault instanceof TooLarge ? fault.message : `not too large: ${String(fault)}`;
};

test("a body up to the limit comes whole; one byte more is a fault, and the rest is not read", async () => {
  const { response } = responding(["12", "345"], "text/plain");
  const same = bounded(response, { mostBytes: 5 });
  assert.deepEqual([same.status, same.headers.get("x-a"), await same.text()], [201, "b", "12345"]);
  const { response: longer, seen } = responding(["12", "3456", "7", "8"], "text/plain");
  assert.equal(await message(readText(longer, 5)), "the response has more than 5 bytes");
  assert.ok(seen.cancelled);
});

test("a response without a body, and bytes instead of characters", async () => {
  assert.equal(await readText(new Response(null, { status: 204 }), 0), "");
  assert.equal(await message(readText(new Response("äöü"), 5)), "the response has more than 5 bytes");
});

test("an event stream has a limit of its own, and one for each event", async () => {
  const limits = { mostBytes: 1, events: { mostBytes: 40, mostEventBytes: 12 } };
  const read = (chunks: readonly string[]) => bounded(responding(chunks).response, limits).text();
  const event = "data: 1234\n\n";
  assert.equal(await read([event, event, event]), event.repeat(3));
  assert.equal(await message(read([event, event, event, event])), "the response has more than 40 bytes");
  const long = "an event of the response has more than 12 bytes";
  assert.equal(await message(read([event, "data: 12345", "6789"])), long);
  assert.equal(await message(read(["data: 1\n", "data: 2\n", "data: 3\n"])), long);
  for (const [blank, halves] of [
    ["\n\n", ["data: 12\n", "\n"]],
    ["\r\r", ["data: 12\r", "\r"]],
    ["\r\n\r\n", ["data: 12\r\n\r", "\n"]],
  ] as const) {
    const whole = `data: 12${blank}`;
    assert.equal(await read([...halves, whole]), whole + whole, JSON.stringify(blank));
  }
});

test("a fault that a library has wrapped is found", async () => {
  const limited = boundedFetch({ mostBytes: 2 }, async () => new Response("abc"));
  const fault: unknown = await (await limited("x:")).text().catch((cause: unknown) => cause);
  const wrapped = new Error("outer", { cause: new Error("inner", { cause: fault }) });
  assert.equal(tooLargeIn(wrapped)?.message, "the response has more than 2 bytes");
  assert.equal(tooLargeIn(new Error("another")), null);
  assert.equal(tooLargeIn("text"), null);
});
