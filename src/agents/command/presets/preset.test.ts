// The options, and events as the programs wrote them: claude 2.1.325, codex 0.166.0, gemini 0.61.0, shortened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { askedOf, effortOf } from "./asked.ts";
import { mayPass } from "./fault.ts";
import { presets } from "./index.ts";
import { type Asked, nothingSeen, type Preset, type Seen } from "./preset.ts";

const asked = (more: Partial<Asked> = {}): Asked => ({
  model: null,
  effort: null,
  session: null,
  extra: [],
  ...more,
});
const read = (preset: Preset, lines: string, more: Partial<Asked> = {}): Seen => {
  const next = preset.readerFor(asked(more));
  return lines
    .trim()
    .split("\n")
    .reduce((seen, line) => next(seen, JSON.parse(line)), nothingSeen);
};
const { claude, codex, gemini } = presets;

describe("claude", () => {
  test("arguments", () => {
    assert.deepEqual(claude.argumentsFor(asked()), ["-p", "--output-format=stream-json", "--verbose"]);
    const all = asked({ model: "opus", effort: "low", session: "abc", extra: ["--permission-mode", "plan"] });
    assert.deepEqual(claude.argumentsFor(all).slice(3), [
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

  test("a tool it was not allowed to use has not run", () => {
    const denied = `{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"toolu_1","message":"touch needs approval."}`;
    const told = done.replace(
      `"permission_denials":[]`,
      `"permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{}}]`,
    );
    for (const lines of [
      [init, toolUse, denied, told],
      [toolUse, told],
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

  test("it says when it has forgotten a conversation", () => {
    const gone = `{"type":"result","subtype":"error_during_execution","duration_ms":0,"is_error":true,"session_id":"22222222","permission_denials":[],"errors":["No conversation found with session ID: 22222222"]}`;
    assert.match(read(claude, gone).failure?.message ?? "", claude.forgotten);
  });
});

describe("codex", () => {
  test("arguments: read-only unless the config chooses a sandbox", () => {
    const first = ["exec", "--json", "--skip-git-repo-check"];
    assert.deepEqual(codex.argumentsFor(asked()), [...first, "--sandbox=read-only", "-"]);
    const all = asked({ model: "gpt-5", effort: "low", session: "01a1-b:22:14", extra: ["-c", "a=1"] });
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
      assert.deepEqual(codex.argumentsFor(asked({ extra })), [...first, ...extra, "-"]);
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

  test("tokens are those of the run, though it counts over the thread", () => {
    const lines = [started, message, done].join("\n");
    const first = read(codex, lines);
    assert.equal(first.session, "01a1e7d2:22:14");
    assert.deepEqual(first.usage, { inputTokens: 22, outputTokens: 14 });
    const second = read(codex, lines, { session: "01a1e7d2:15:9" });
    assert.deepEqual(second.usage, { inputTokens: 7, outputTokens: 5 });
    assert.deepEqual(read(codex, lines, { session: "x:99:99" }).usage, { inputTokens: 22, outputTokens: 14 });
    assert.deepEqual(read(codex, lines, { session: "x" }).usage, { inputTokens: 22, outputTokens: 14 });
  });

  test("outside of the read-only sandbox a command may change something; a tool of others always may", () => {
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

  test("it says when it has forgotten a conversation", () => {
    assert.match(
      "Error: thread/resume: thread/resume failed: no rollout found for thread id 019a0000 (code -32600)",
      codex.forgotten,
    );
  });
});

describe("gemini", () => {
  test("arguments", () => {
    assert.deepEqual(gemini.argumentsFor(asked()), ["--skip-trust", "--output-format=stream-json"]);
    const all = asked({ model: "pro", effort: "low", session: "abc", extra: ["--sandbox"] });
    assert.deepEqual(gemini.argumentsFor(all).slice(2), ["--model=pro", "--resume=abc", "--sandbox"]);
  });

  const init = `{"type":"init","timestamp":"2026-11-17T04:46:55.844Z","session_id":"71b0313c","model":"gemini-2.5-flash"}
{"type":"message","timestamp":"2026-11-17T04:46:55.855Z","role":"user","content":"Say hello\\n"}`;
  const text = `{"type":"message","role":"assistant","content":"Hello from the fixtu","delta":true}
{"type":"message","role":"assistant","content":"re.","delta":true}`;
  const write = `{"type":"tool_use","tool_name":"write_file","tool_id":"w1","parameters":{"file_path":"b.txt","content":"x"}}`;
  const done = `{"type":"result","status":"success","stats":{"total_tokens":18,"input_tokens":11,"output_tokens":7,"cached":0,"input":11,"duration_ms":267,"tool_calls":0,"models":{}}}`;

  test("the reply is what it says after its last tool", () => {
    const look = `{"type":"message","role":"assistant","content":"Let me look.","delta":true}\n{"type":"tool_use","tool_name":"read_file","tool_id":"r1","parameters":{}}\n{"type":"tool_result","tool_id":"r1","status":"success","output":""}`;
    const seen = read(gemini, [init, look, text, done].join("\n"));
    assert.equal(seen.reply, "Hello from the fixture.");
    assert.equal(seen.session, "71b0313c");
    assert.deepEqual(seen.usage, { inputTokens: 11, outputTokens: 7 });
    assert.deepEqual(seen.calls, [{ id: "r1", name: "read_file", changes: false, refused: false }]);
    assert.ok(seen.ended && seen.failure === null);
  });

  test("a tool it does not have has not run; one that failed may have", () => {
    const result = (type: string) =>
      `{"type":"tool_result","tool_id":"w1","status":"error","output":"no","error":{"type":"${type}","message":"no"}}`;
    assert.ok(read(gemini, [init, write, result("tool_not_registered")].join("\n")).calls[0]?.refused);
    const failed = read(gemini, [init, write, result("file_write_failure")].join("\n"));
    assert.deepEqual(failed.calls, [{ id: "w1", name: "write_file", changes: true, refused: false }]);
  });

  test("errors are failures", () => {
    const end = `{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\\"error\\":{\\"code\\":401,\\"message\\":\\"invalid x-api-key\\",\\"status\\":\\"authentication_error\\"}}]"},"stats":{"input_tokens":0,"output_tokens":0}}`;
    const { failure, ended } = read(gemini, [init, end].join("\n"));
    assert.match(failure?.message ?? "", /401/);
    assert.ok(ended && !mayPass(failure!));
    assert.match('Error resuming session: Invalid session identifier "4333".', gemini.forgotten);
  });
});

test("what is no event of theirs is passed over", () => {
  for (const preset of Object.values(presets)) {
    const next = preset.readerFor(asked());
    for (const event of [null, 1, "x", [], {}, { type: "result" }, { type: "init", session_id: 5 }])
      assert.deepEqual(next(nothingSeen, event), nothingSeen);
  }
});

test("thinking is rounded to a level that the program takes, with a warning", () => {
  const table = (preset: Preset, ...levels: string[]) =>
    levels.map((level) => {
      const { effort, warning } = effortOf(preset, level);
      return [effort, warning !== null];
    });
  const levels = ["off", "none", "minimal", "low", "med", "medium", "HIGH", "xhigh", "max", "lots"];
  assert.deepEqual(table(claude, ...levels), [
    [null, true],
    [null, true],
    ["low", true],
    ["low", false],
    ["medium", false],
    ["medium", false],
    ["high", false],
    ["xhigh", false],
    ["max", false],
    [null, true],
  ]);
  assert.deepEqual(table(codex, "off", "minimal", "xhigh", "max"), [
    ["none", false],
    ["minimal", false],
    ["xhigh", false],
    ["xhigh", true],
  ]);
  assert.deepEqual(table(gemini, "low"), [[null, true]]);
  assert.deepEqual(effortOf(gemini, null), { effort: null, warning: null });
  assert.equal(effortOf(codex, "max").warning, 'Thinking "max" was sent to codex as "xhigh".');
});

test("the maker before a model's name is left out, and a name cannot be an option", () => {
  const model = (preset: Preset, name: string) =>
    askedOf(preset, { model: name, thinking: null, conversation: null }, []).asked.model;
  assert.equal(model(claude, "anthropic/claude-opus-5"), "claude-opus-5");
  assert.equal(model(codex, "openai/gpt-5"), "gpt-5");
  assert.equal(model(gemini, "google/gemini-3-pro"), "gemini-3-pro");
  assert.equal(model(codex, "qwen/qwen3"), "qwen/qwen3");
  for (const preset of Object.values(presets)) {
    const args = preset.argumentsFor(asked({ model: "--yolo" }));
    assert.ok(args.includes("--model=--yolo") && !args.includes("--yolo"));
  }
});

test("no preset skips a permission by itself", () => {
  for (const preset of Object.values(presets)) {
    const args = preset.argumentsFor(asked({ model: "m", effort: "low", session: "s" })).join(" ");
    assert.doesNotMatch(args, /yolo|danger|bypass|allow|approv|permission|full-auto|write/);
  }
});

test("which failures may pass", () => {
  const by = (message: string, status: number | null = null) => mayPass({ message, status });
  for (const status of [408, 429, 500, 503, 529]) assert.ok(by("x", status), String(status));
  for (const status of [400, 401, 403, 404]) assert.ok(!by("rate limit", status), String(status));
  for (const message of [
    "unexpected status 503 Service Unavailable",
    "We’re currently experiencing high demand, which may cause temporary errors.",
    "stream disconnected before completion: failed to lookup address information",
    "Claude AI usage limit reached|1790000000",
    "fetch failed",
    "connect ECONNREFUSED 127.0.0.1:1",
    "Request timed out",
  ])
    assert.ok(by(message), message);
  for (const message of [
    "Not logged in · Please run /login",
    "Invalid API key · Fix external API key",
    "unexpected status 401 Unauthorized: invalid x-api-key",
    "Please set an Auth method in your settings.json",
    "Your credit balance is too low: rate limit 0",
    "error_max_turns",
  ])
    assert.ok(!by(message), message);
});
