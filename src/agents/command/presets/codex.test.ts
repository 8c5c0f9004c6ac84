// Events as codex 0.166.0 wrote them, shortened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { optionsWith, read, toldBy } from "../../../../test/fixtures/preset.ts";
import { codex } from "./codex.ts";
import { mayPass } from "./fault.ts";

describe("codex", () => {
  test("arguments: read-only unless the config chooses a sandbox", () => {
    const first = ["exec", "--json", "--skip-git-repo-check"];
    assert.deepEqual(codex.argumentsFor(optionsWith()), [...first, "--sandbox=read-only", "-"]);
    const all = optionsWith({ model: "gpt-5", effort: "low", session: "01a1-b:22:14", extra: ["-c", "a=1"] });
    assert.deepEqual(codex.argumentsFor(all).slice(4), [
      "--model=gpt-5",
      '--config=model_reasoning_effort="low"',
      "-c",
      "a=1",
      "resume",
      "01a1-b",
      "-",
    ]);
    for (const extra of [
      ["-s", "workspace-write"],
      ["--sandbox=workspace-write"],
      ["--approve-for-me"],
      ["--dangerously-bypass-approvals-and-sandbox"],
      ["-c", 'sandbox_mode="workspace-write"'],
      ["--config=sandbox_mode=workspace-write"],
    ])
      assert.deepEqual(codex.argumentsFor(optionsWith({ extra })), [...first, ...extra, "-"]);
  });

  const started = `{"type":"thread.started","thread_id":"01a1e7d2"}\n{"type":"turn.started"}`;
  const remark = `{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for \`gpt-5\` not found."}}`;
  const command = `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'touch hello2.txt; ls'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'touch hello2.txt; ls'","aggregated_output":"a.txt\\n","exit_code":0,"status":"completed"}}`;
  const message = `{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Hello from the fixture."}}`;
  const done = `{"type":"turn.completed","usage":{"input_tokens":22,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":14,"reasoning_output_tokens":0}}`;

  test("the last message is the reply; remarks are warnings", () => {
    const early = message.replace("Hello from the fixture.", "Let me look.");
    const seen = read(codex, [started, remark, early, command, message, done].join("\n"));
    assert.equal(seen.reply, "Hello from the fixture.");
    assert.deepEqual(seen.warnings, ["Model metadata for `gpt-5` not found."]);
    assert.deepEqual(seen.calls, [
      { id: "item_1", name: "command_execution", changes: false, refused: false },
    ]);
    assert.ok(seen.ended && seen.failure === null);
  });

  test("messages and tools are told as they end", () => {
    const mcp = `{"type":"item.completed","item":{"id":"item_3","type":"mcp_tool_call","server":"github","tool":"create_issue","arguments":{"title":"a"},"result":null,"error":{"message":"no"},"status":"failed"}}`;
    const early = message.replace("Hello from the fixture.", "Let me look.");
    const quiet = `{"type":"item.completed","item":{"id":"r","type":"reasoning","text":"Hm."}}\n{"type":"item.completed","item":{"id":"w","type":"web_search","query":"x"}}`;
    assert.deepEqual(toldBy(codex, [started, remark, early, command, mcp, quiet, message, done].join("\n")), [
      "+ Let me look.",
      "item_1: command_execution(/bin/bash -lc 'touch hello2.txt; ls')",
      "item_1: true a.txt",
      'item_3: github/create_issue({"title":"a"})',
      'item_3: false {"message":"no"}',
      "w: web_search(x)",
      "w: null",
      "+ Hello from the fixture.",
    ]);
  });

  test("tokens are those of the run, although codex counts over the thread", () => {
    const lines = [started, message, done].join("\n");
    const first = read(codex, lines);
    assert.equal(first.session, "01a1e7d2:22:14");
    assert.deepEqual(first.usage, { inputTokens: 22, outputTokens: 14 });
    const second = read(codex, lines, { session: "01a1e7d2:15:9" });
    assert.deepEqual(second.usage, { inputTokens: 7, outputTokens: 5 });
    assert.deepEqual(read(codex, lines, { session: "x:99:99" }).usage, { inputTokens: 22, outputTokens: 14 });
    assert.deepEqual(read(codex, lines, { session: "x" }).usage, { inputTokens: 22, outputTokens: 14 });
  });

  test("outside of the read-only sandbox a command may change something; another server's tool always may", () => {
    const extra = ["-s", "workspace-write"];
    assert.ok(read(codex, command, { extra }).calls[0]?.changes);
    const tool = `{"type":"item.started","item":{"id":"i","type":"mcp_tool_call","server":"github","tool":"create_issue","status":"in_progress"}}`;
    assert.deepEqual(read(codex, tool).calls, [
      { id: "i", name: "github/create_issue", changes: true, refused: false },
    ]);
    const quiet = `{"type":"item.completed","item":{"id":"a","type":"reasoning","text":"Hm."}}\n{"type":"item.completed","item":{"id":"b","type":"web_search","query":"x"}}`;
    assert.deepEqual(
      read(codex, quiet).calls.map(({ name, changes }) => [name, changes]),
      [["web_search", false]],
    );
  });

  test("an error that it recovers from is ignored; turn.failed is a failure", () => {
    const trouble = `{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}`;
    assert.equal(read(codex, [started, trouble, message, done].join("\n")).failure, null);
    const end = `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests, request id: req-M"}}`;
    const { failure } = read(codex, [started, trouble, end].join("\n"));
    assert.match(failure?.message ?? "", /^exceeded retry limit/);
    assert.ok(mayPass(failure!));
    assert.match(read(codex, [started, trouble].join("\n")).failure?.message ?? "", /^Reconnecting/);
  });

  test("a lost conversation is recognised", () => {
    assert.match(
      "Error: thread/resume: thread/resume failed: no rollout found for thread id 019a0000 (code -32600)",
      codex.forgotten,
    );
  });
});
