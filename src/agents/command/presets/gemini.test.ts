// Events as gemini 0.61.0 wrote them, shortened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { optionsWith, read, toldBy } from "../../../../test/fixtures/preset.ts";
import { gemini } from "./gemini.ts";
import { mayPass } from "./fault.ts";

describe("gemini", () => {
  test("arguments", () => {
    assert.deepEqual(gemini.argumentsFor(optionsWith()), ["--skip-trust", "--output-format=stream-json"]);
    const all = optionsWith({ model: "pro", effort: "low", session: "abc", extra: ["--sandbox"] });
    assert.deepEqual(gemini.argumentsFor(all).slice(2), ["--model=pro", "--resume=abc", "--sandbox"]);
  });

  const init = `{"type":"init","timestamp":"2026-11-17T04:46:55.844Z","session_id":"71b0313c","model":"gemini-2.5-flash"}
{"type":"message","timestamp":"2026-11-17T04:46:55.855Z","role":"user","content":"Say hello\\n"}`;
  const text = `{"type":"message","role":"assistant","content":"Hello from the fixtu","delta":true}
{"type":"message","role":"assistant","content":"re.","delta":true}`;
  const write = `{"type":"tool_use","tool_name":"write_file","tool_id":"w1","parameters":{"file_path":"b.txt","content":"x"}}`;
  const done = `{"type":"result","status":"success","stats":{"total_tokens":18,"input_tokens":11,"output_tokens":7,"cached":0,"input":11,"duration_ms":267,"tool_calls":0,"models":{}}}`;

  test("the reply is its text after its last tool", () => {
    const look = `{"type":"message","role":"assistant","content":"Let me look.","delta":true}\n{"type":"tool_use","tool_name":"read_file","tool_id":"r1","parameters":{}}\n{"type":"tool_result","tool_id":"r1","status":"success","output":""}`;
    const seen = read(gemini, [init, look, text, done].join("\n"));
    assert.equal(seen.reply, "Hello from the fixture.");
    assert.equal(seen.session, "71b0313c");
    assert.deepEqual(seen.usage, { inputTokens: 11, outputTokens: 7 });
    assert.deepEqual(seen.calls, [{ id: "r1", name: "read_file", changes: false, refused: false }]);
    assert.ok(seen.ended && seen.failure === null);
  });

  test("text is told as it is written, tools with their results", () => {
    const say = `{"type":"message","role":"assistant","content":"Let me look.","delta":true}`;
    const result = (more: string) => `{"type":"tool_result","tool_id":"w1",${more}}`;
    assert.deepEqual(
      toldBy(gemini, [init, say, write, result('"status":"success","output":"ok"'), text, done].join("\n")),
      [
        "+ Let me look.",
        'w1: write_file({"file_path":"b.txt","content":"x"})',
        "w1: true ok",
        "+ Hello from the fixtu",
        "re.",
      ],
    );
    const failed = '"status":"error","error":{"type":"file_write_failure","message":"disk full"}';
    assert.equal(toldBy(gemini, [write, result(failed)].join("\n")).at(-1), "w1: false disk full");
    const notRun = '"status":"error","error":{"type":"policy_violation","message":"no"}';
    assert.equal(toldBy(gemini, [write, result(notRun)].join("\n")).at(-1), "w1: false");
  });

  test("an unknown tool counts as not run; a failed one may have run", () => {
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
