import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import test from "node:test";
import { answering } from "../../../test/fixtures/command-line.ts";
import { WrongUsage } from "../command.ts";
import { confirmed } from "./confirm.ts";

test("only y is a yes; n, Enter and Ctrl-C are a no", async () => {
  for (const [answer, expected] of [
    ["y", true],
    ["n", false],
    ["\r", false],
    ["\u0003", false],
  ] as const)
    assert.equal(await confirmed(answering(answer).terminal, "Sure?"), expected, JSON.stringify(answer));
});

test("the question has no control characters of others", async () => {
  const { terminal, raw } = answering("n");
  await confirmed(terminal, "Remove \u001b]0;x\u0007it?");
  assert.ok(!raw().includes("\u001b]0;"));
});

test("without a terminal nobody is asked", async () => {
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const terminal = { ...streams, openBrowser: null, isInteractive: false };
  await assert.rejects(
    confirmed(terminal, "Sure?"),
    (fault) => fault instanceof WrongUsage && /--yes/.test(fault.message),
  );
  assert.equal(streams.output.readableLength, 0);
});
