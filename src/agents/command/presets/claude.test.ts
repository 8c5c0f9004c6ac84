// Events as claude 2.1.325 wrote them, shortened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { optionsWith, read, toldBy } from "../../../../test/fixtures/preset.ts";
import { claude } from "./claude.ts";

describe("claude", () => {
  test("arguments", () => {
    assert.deepEqual(claude.argumentsFor(optionsWith()), [
      "-p",
      "--output-format=stream-json",
      "--verbose",
      "--include-partial-messages",
    ]);
    const all = optionsWith({
      model: "opus",
      effort: "low",
      session: "abc",
      extra: ["--permission-mode", "plan"],
    });
    assert.deepEqual(claude.argumentsFor(all).slice(4), [
      "--model=opus",
      "--effort=low",
      "--resume=abc",
      "--permission-mode",
      "plan",
    ]);
  });

  const init = `{"type":"system","subtype":"init","session_id":"ffc33f61","tools":["Task","Bash"],"model":"claude-sonnet-4-5","permissionMode":"default"}`;
  const toolUse = `{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Let me."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"touch hello.txt"}}],"usage":{"input_tokens":0,"output_tokens":0}},"parent_tool_use_id":null,"session_id":"ffc33f61"}`;
  const done = `{"duration_api_ms":505,"stop_reason":"end_turn","session_id":"ffc33f61","total_cost_usd":0,"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":7,"service_tier":"standard"},"permission_denials":[],"is_error":false,"num_turns":2,"subtype":"success","api_error_status":null,"result":"Hello from the fixture.","type":"result"}`;

  test("a reply with its session, tokens and tools", () => {
    const seen = read(claude, [init, toolUse, done].join("\n"));
    assert.equal(seen.reply, "Hello from the fixture.");
    assert.equal(seen.session, "ffc33f61");
    assert.deepEqual(seen.usage, { inputTokens: 123, outputTokens: 7 });
    assert.deepEqual(seen.calls, [{ id: "toolu_1", name: "Bash", changes: true, refused: false }]);
    assert.ok(seen.ended && seen.failure === null && seen.warnings.length === 0);
  });

  const partial = (event: object, parent: string | null = null) =>
    JSON.stringify({
      type: "stream_event",
      event,
      session_id: "ffc33f61",
      parent_tool_use_id: parent,
      uuid: "u",
    });
  const delta = (text: string, parent: string | null = null) =>
    partial({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, parent);
  const opens = partial({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const toolResult = (content: unknown, isError = false) =>
    JSON.stringify({
      type: "user",
      message: {
        role: "user",
        content: [{ tool_use_id: "toolu_1", type: "tool_result", content, is_error: isError }],
      },
      parent_tool_use_id: null,
      session_id: "ffc33f61",
    });
  const lastMessage = `{"type":"assistant","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Hello from the fixture."}]},"parent_tool_use_id":null,"session_id":"ffc33f61"}`;

  test("text is told as it is written, and once; tools with their results", () => {
    const thinking = partial({
      type: "content_block_delta",
      delta: { type: "thinking_delta", thinking: "Hm." },
    });
    const start = partial({ type: "message_start", message: { content: [] } });
    const first = [init, start, thinking, opens, delta("Let "), delta("me."), toolUse, toolResult("done\n")];
    const ofAnother = delta("of another", "toolu_1");
    const second = [opens, delta("Hello from "), ofAnother, delta("the fixture."), lastMessage, done];
    const lines = [first, second].flat();
    assert.deepEqual(toldBy(claude, lines.join("\n")), [
      "+ ",
      "Let ",
      "me.",
      'toolu_1: Bash({"command":"touch hello.txt"})',
      "toolu_1: true done",
      "+ ",
      "Hello from ",
      "the fixture.",
    ]);
    assert.equal(read(claude, lines.join("\n")).reply, "Hello from the fixture.");
  });

  test("without partial messages, whole ones are told; a tool that failed or was denied has not succeeded", () => {
    const failed = toolResult([{ type: "text", text: "no" }], true);
    const ofAnother = lastMessage.replace('"parent_tool_use_id":null', '"parent_tool_use_id":"toolu_1"');
    assert.deepEqual(toldBy(claude, [init, toolUse, failed, ofAnother, lastMessage, done].join("\n")), [
      "+ Let me.",
      'toolu_1: Bash({"command":"touch hello.txt"})',
      'toolu_1: false [{"type":"text","text":"no"}]',
      "+ Hello from the fixture.",
    ]);
    const denied = `{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"toolu_1","message":"no"}`;
    assert.equal(toldBy(claude, [toolUse, denied].join("\n")).at(-1), "toolu_1: false");
  });

  test("a tool without permission counts as not run", () => {
    const denied = `{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"toolu_1","message":"touch needs approval."}`;
    const reported = done.replace(
      `"permission_denials":[]`,
      `"permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{}}]`,
    );
    for (const lines of [
      [init, toolUse, denied, reported],
      [toolUse, reported],
      [toolUse, denied],
    ]) {
      const seen = read(claude, lines.join("\n"));
      assert.ok(seen.calls[0]?.refused);
      assert.deepEqual(seen.warnings, ["The agent wanted to use Bash and could not."]);
    }
  });

  test("reading changes nothing", () => {
    const { calls } = read(claude, toolUse.replace(`"name":"Bash"`, `"name":"Read"`));
    assert.deepEqual(
      calls.map(({ changes }) => changes),
      [false],
    );
    const foreign = read(claude, toolUse.replace(`"name":"Bash"`, `"name":"mcp__github__create_issue"`));
    assert.ok(foreign.calls[0]?.changes);
  });

  test("errors are failures, with the status of the server", () => {
    const overloaded = done
      .replace(`"is_error":false`, `"is_error":true`)
      .replace(`"api_error_status":null`, `"api_error_status":529`)
      .replace("Hello from the fixture.", "API Error: 529 Overloaded");
    const { failure, reply, ended } = read(claude, overloaded);
    assert.deepEqual(failure, { message: "API Error: 529 Overloaded", status: 529 });
    assert.ok(reply === "" && ended);
    const noLogin = `{"type":"result","subtype":"success","is_error":true,"session_id":"a","result":"Not logged in · Please run /login","api_error_status":null}`;
    assert.deepEqual(read(claude, noLogin).failure, {
      message: "Not logged in · Please run /login",
      status: null,
    });
    const tooManyTurns = `{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"a"}`;
    assert.equal(read(claude, tooManyTurns).failure?.message, "error_max_turns");
  });

  test("a lost conversation is recognised", () => {
    const gone = `{"type":"result","subtype":"error_during_execution","duration_ms":0,"is_error":true,"session_id":"22222222","permission_denials":[],"errors":["No conversation found with session ID: 22222222"]}`;
    assert.match(read(claude, gone).failure?.message ?? "", claude.forgotten);
  });
});
