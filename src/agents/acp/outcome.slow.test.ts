// How each end of a conversation is reported.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, neverStopped, replied, run, shellAgent } from "../../../test/fixtures/acp-runs.ts";
import { contractInput } from "../agent.contract.ts";

test("each stop reason gives its outcome", async () => {
  const cutShort = (what: string) => ({ warnings: [`The agent ${what}: its reply may lack its end.`] });
  for (const [reason, spoken, silent] of [
    ["end_turn", replied("So far."), failed("the agent gave no reply")],
    ["refusal", failed("the agent refused to reply"), failed("the agent refused to reply")],
    ["cancelled", failed("the agent broke off its turn", true), failed("the agent broke off its turn", true)],
    [
      "max_tokens",
      replied("So far.", cutShort("reached its limit of tokens")),
      failed("the agent reached its limit of tokens before it replied"),
    ],
    [
      "max_turn_requests",
      replied("So far.", cutShort("reached its limit of steps")),
      failed("the agent reached its limit of steps before it replied"),
    ],
  ] as const) {
    const outcomes = [run("stop", reason), run("stop", reason, { prompt: "silent" })];
    assert.deepEqual(await Promise.all(outcomes), [spoken, silent], reason);
  }
});

test("an error is a failure in the agent's words", async () => {
  const error = (detail: string) => run("error", detail);
  assert.deepEqual(
    await error(""),
    failed("the agent responded with an error: Internal error: the model is busy", true),
  );
  assert.deepEqual(await error("invalid"), failed("the agent responded with an error: Invalid params"));
  assert.deepEqual(
    await error("auth"),
    failed("the agent wants to be signed in: start it once by hand, as the gateway's user"),
  );
});

test("a program that ends in the middle of a run may pass, and the report says that a tool had started", async () => {
  const reason = "the command ended with exit code 3 in the middle of the turn: out of luck";
  assert.deepEqual(await run("crash"), failed(reason, true, { toolsUsed: ["edit"], acted: true }));
});

test("a program that closes its output in the middle of a run is ended", { timeout: 60_000 }, async () => {
  assert.deepEqual(
    await run("silence"),
    failed("the command closed its output in the middle of the turn", true),
  );
});

test("a reply that does not end is a failure", { timeout: 60_000 }, async () => {
  assert.deepEqual(await run("long"), failed("the agent's reply has more than 1048576 characters"));
});

for (const [what, script, reason, mayPass] of [
  [
    "ends at once",
    "echo no >&2; exit 3",
    "the command ended with exit code 3 before it spoke ACP: no",
    false,
  ],
  ["ends well", "echo hello", "the command ended with exit code 0 before it spoke ACP", false],
  ["is killed", "kill -9 $$", "the command was ended by SIGKILL before it spoke ACP", true],
  ["prints without end", "yes 2>/dev/null", "the command /bin/sh does not speak ACP", false],
  [
    "prints one line without end",
    "(yes | tr -d '\\n') 2>/dev/null",
    "the agent sent too much: a message of it has more than 16777216 bytes",
    false,
  ],
  [
    "repeats what it hears",
    "cat",
    'the agent responded with an error: "Method not found": initialize',
    false,
  ],
] as const)
  test(`a program that does not speak ACP and ${what} is a failure`, { timeout: 60_000 }, async () => {
    assert.deepEqual(await shellAgent(script).run(contractInput(), neverStopped()), failed(reason, mayPass));
  });

test("a program that says nothing, or speaks another version, is given up", { timeout: 60_000 }, async () => {
  const mute = await shellAgent("sleep 600", 200).run(contractInput(), neverStopped());
  assert.deepEqual(mute, failed("the command /bin/sh does not speak ACP"));
  const other = await run("version");
  assert.deepEqual(other, failed(`the command ${process.execPath} does not speak ACP`));
});
