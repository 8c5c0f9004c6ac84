import assert from "node:assert/strict";
import { test } from "node:test";
import type { History, TranscriptRole, TranscriptTurn } from "../core/transcript.ts";
import { historyLimit, historyToRead, transcriptText, splitHistory } from "./transcript.ts";

const turn = (seq: number, role: TranscriptRole, length: number): TranscriptTurn => ({
  seq,
  agentId: "main",
  sessionKey: "k",
  runId: `r${seq}`,
  role,
  text: String(seq).repeat(length),
  createdAt: 0,
  compacted: false,
});
const dialogue = (count: number, length: number): TranscriptTurn[] =>
  Array.from({ length: count }, (_, at) => turn(at, at % 2 === 0 ? "user" : "assistant", length));

const whole = (turns: readonly TranscriptTurn[]): History => ({ turns, hasOlder: false });

test("turns that fit are all carried", () => {
  const turns = dialogue(6, 10);
  assert.deepEqual(splitHistory(whole(turns), 60), { old: [], recent: turns });
  assert.deepEqual(splitHistory(whole([]), 0), { old: [], recent: [] });
});

test("otherwise the newest turns are kept, starting with one of the user", () => {
  const turns = dialogue(8, 1);
  const { old, recent } = splitHistory(whole(turns), 6);
  assert.deepEqual(
    recent.map(({ seq }) => seq),
    [6, 7],
  );
  assert.equal(old.length, 6);
});

test("with older turns in the store, only half of the limit is kept even if these fit", () => {
  const turns = dialogue(6, 10);
  const { old, recent } = splitHistory({ turns, hasOlder: true }, 60);
  assert.deepEqual([old, recent], [turns.slice(0, 4), turns.slice(4)]);
});

test("a turn too long for the window is compacted, even the newest", () => {
  const { old, recent } = splitHistory(whole([turn(0, "user", 5), turn(1, "assistant", 100)]), 50);
  assert.equal(old.length, 2);
  assert.equal(recent.length, 0);
});

test("the text to summarise names each speaker and is cut at its start", () => {
  const turns = [turn(1, "summary", 3), turn(2, "user", 3), turn(3, "assistant", 3)];
  assert.equal(transcriptText(turns, 1000), "Before that:\n111\n\nThey said:\n222\n\nYou said:\n333");
  assert.equal(transcriptText(turns, 5), "…:\n333");
  assert.deepEqual([historyLimit(1000), historyToRead(2000)], [2000, 3000]);
});
