// Earlier turns and what tools bring do not hold the event loop while they are prepared for an agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptTurn } from "../core/transcript.ts";
import { parseFences } from "../untrusted/fence.ts";
import { createOutsideTexts } from "./outside-texts.ts";
import { works } from "./outside-works.ts";

const costly = "👩\u200d".repeat(20_000);
const history = (role: TranscriptTurn["role"], text: string) => ({
  prompt: "Go on.",
  conversation: { history: [{ role, text }], foreignSession: null },
});

/** Fences have a random id. */
const withoutIds = (value: unknown): string => JSON.stringify(value).replaceAll(/[0-9a-f]{32}/g, "id");

/** Whether the event loop turned before the work was done. */
async function turnedDuring<T>(work: Promise<T>): Promise<{ result: T; turned: boolean }> {
  let turned = false;
  setImmediate(() => (turned = true));
  const result = await work;
  return { result, turned };
}

const kinds = {
  "a conversation as text": [
    (text: string) => createOutsideTexts().conversation(history("assistant", text)),
    (text: string) => works.conversation(history("assistant", text)),
  ],
  "a conversation for a chat model": [
    (text: string) => createOutsideTexts().messages(history("summary", text)),
    (text: string) => works.messages(history("summary", text)),
  ],
  "a conversation to give an account of": [
    (text: string) => createOutsideTexts().account(text),
    (text: string) => works.account(text),
  ],
  "what a tool brought": [
    (text: string) => createOutsideTexts().result({ says: "Here it is.", label: "page", outside: text }),
    (text: string) => works.result({ says: "Here it is.", label: "page", outside: text }),
  ],
} as const;

for (const [what, [prepare, here]] of Object.entries(kinds))
  test(`${what} is prepared while the event loop turns when it is much work, and else at once`, async () => {
    const much = await turnedDuring<unknown>(prepare(costly));
    assert.ok(much.turned);
    assert.equal(withoutIds(much.result), withoutIds(here(costly)));
    const little = await turnedDuring<unknown>(prepare("a few words"));
    assert.ok(!little.turned);
    assert.equal(withoutIds(little.result), withoutIds(here("a few words")));
  });

test("conversations that are little work each are prepared over several turns when there are many", async () => {
  const texts = createOutsideTexts();
  let turn = 0;
  const count = (): void => void (turn++ < 20 && setImmediate(count));
  setImmediate(count);
  const long = history("assistant", "x".repeat(100_000));
  const all = Array.from({ length: 9 }, () => texts.conversation(long).then((text) => [turn, text] as const));
  const preparedIn = (await Promise.all(all)).map(([at, text]) => {
    assert.equal(parseFences(text).length, 1);
    return at;
  });
  const perTurn = Object.values(Object.groupBy(preparedIn, String)).map((each) => each!.length);
  assert.equal(Math.max(...perTurn), 3, preparedIn.join());
});
