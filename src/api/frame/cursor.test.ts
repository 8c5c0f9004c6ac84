import assert from "node:assert/strict";
import { test } from "node:test";
import { createCursors, listKey } from "./cursor.ts";

const cursors = createCursors("a secret");
const key = listKey("/runs", { hook: ["a"], limit: 5 });

test("a cursor gives its position to the list and the filters that it was written for, whatever the page's length", () => {
  for (const position of [
    0,
    7,
    Number.MAX_SAFE_INTEGER,
    { lastAt: 12, agentId: "main", sessionKey: "hook:ä" },
  ])
    assert.deepEqual(
      cursors.read(cursors.write(position, key), listKey("/runs", { limit: 9, hook: ["a"] })),
      position,
    );
});

test("a cursor of other filters, of another list or another token, and one that was changed, is none", () => {
  const cursor = cursors.write(7, key);
  assert.equal(cursors.read(cursor, listKey("/runs", { hook: ["b"] })), null);
  assert.equal(cursors.read(cursor, listKey("/events", { hook: ["a"] })), null);
  assert.equal(createCursors("another").read(cursor, key), null);
  const [position, signature] = cursor.split(".");
  const other = cursors.write(8, key).split(".")[0];
  for (const wrong of [
    "",
    ".",
    "7",
    `${other}.${signature}`,
    `${position}.`,
    `${position}.${"A".repeat(16)}`,
    `${cursor}x`,
  ])
    assert.equal(cursors.read(wrong, key), null, wrong);
});
