import assert from "node:assert/strict";
import { test } from "node:test";
import { createFrameReader, frameOf, keyBytes } from "./frames.ts";

const key = Buffer.alloc(keyBytes, 7);

function readerOf(longest: number) {
  const events: string[] = [];
  const take = createFrameReader(key, () => longest, {
    onText: (text) => void events.push(text),
    onFault: (fault) => void events.push(`fault: ${fault}`),
  });
  return { events, take };
}

test("frames are read wherever their bytes are cut", () => {
  const texts = ["", "one", "schöne Grüße 🎉", "x".repeat(300)];
  const bytes = Buffer.concat(texts.map((text) => frameOf(key, text)));
  for (let size = 1; size <= bytes.length; size++) {
    const { events, take } = readerOf(1000);
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
    assert.deepEqual(events, texts, `in pieces of ${size}`);
  }
});

test("a frame that is too long or has another key is a fault at its head, and nothing is read behind it", () => {
  const long = frameOf(key, "12345").subarray(0, 4 + keyBytes);
  const forged = frameOf(Buffer.alloc(keyBytes), "1").subarray(0, 4 + keyBytes);
  for (const [head, fault] of [
    [long, "too-long"],
    [forged, "wrong-key"],
  ] as const) {
    const { events, take } = readerOf(4);
    take(Buffer.concat([frameOf(key, "1234"), head, frameOf(key, "late")]));
    take(frameOf(key, "late"));
    assert.deepEqual(events, ["1234", `fault: ${fault}`]);
  }
});
