import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hearing } from "../../../test/fixtures/told.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { failed } from "../failure.ts";
import { openToolbox } from "../tools/toolbox.ts";
import { ToolFault } from "../../mcp/fault.ts";
import {
  kinds,
  modelOf,
  startServer,
  toolboxOf,
  inputFor,
  type FakeTools,
} from "../../../test/fixtures/model-server.ts";

const { server, agent, run } = await startServer();

const call = (name: string, input = '{"path":"a.txt"}') => ({ toolCalls: [{ name, arguments: input }] });
const withTools = (tools: FakeTools): { openToolbox: typeof openToolbox } => ({
  openToolbox: async ({ onActing }) => toolboxOf(tools, { onActing }),
});

for (const kind of kinds)
  test(`a tool's round trip with a server of kind ${kind}`, async () => {
    const seen: unknown[] = [];
    const prompt = `read-${kind}`;
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    server.on(
      { userMessage: prompt, hasToolResult: false },
      { ...call("read"), usage, ...(kind === "google" && { finishReason: "stop" }) },
    );
    server.on({ userMessage: prompt, toolResultContains: "forty-two" }, { content: "It says 42.", usage });
    const read = (input: unknown) => {
      seen.push(input);
      return "forty-two";
    };
    const outcome = await run(prompt, withTools({ read }), { model: modelOf(kind), tools: ["read"] });
    assert.ok(outcome.kind === "replied" && outcome.reply === "It says 42.", JSON.stringify(outcome));
    assert.deepEqual(seen, [{ path: "a.txt" }]);
    assert.deepEqual(outcome.report?.toolsUsed, ["read"]);
    assert.equal(outcome.report.acted, undefined);
    if (kind === "openai-compatible")
      assert.deepEqual(outcome.report.usage, { inputTokens: 10, outputTokens: 4 });
  });

for (const [what, response] of [
  ["malformed", call("read", '{"path":')],
  ["ill-fitting", call("read", '{"file":1}')],
  ["unknown", call("destroy")],
] as const)
  test(`a call that is ${what} goes back to the model, and no tool runs`, async () => {
    server.on({ userMessage: `call-${what}`, hasToolResult: false }, response);
    server.on({ userMessage: `call-${what}`, hasToolResult: true }, { content: "I was wrong." });
    const tools = withTools({ read: () => assert.fail("it ran") });
    const outcome = await run(`call-${what}`, tools);
    assert.ok(outcome.kind === "replied" && outcome.reply === "I was wrong.", JSON.stringify(outcome));
    assert.equal(outcome.report?.toolsUsed, undefined);
    const warning =
      "The agent wanted to use destroy and could not: this run was not granted a tool of that name.";
    assert.deepEqual(outcome.report?.warnings, what === "unknown" ? [warning] : undefined);
  });

test("a tool that throws is reported to the model, and the run still counts as having acted", async () => {
  server.on({ userMessage: "write it", hasToolResult: false }, call("write"));
  server.on({ userMessage: "write it", toolResultContains: "disk is full" }, { content: "No room." });
  const outcome = await run(
    "write it",
    withTools({ write: () => Promise.reject(new Error("the disk is full")) }),
  );
  assert.ok(outcome.kind === "replied" && outcome.reply === "No room.", JSON.stringify(outcome));
  assert.deepEqual([outcome.report?.toolsUsed, outcome.report?.acted], [["write"], true]);
});

test("the report says that a tool changed something when the model fails afterwards", async () => {
  server.on({ userMessage: "write, then fail", hasToolResult: false }, call("write"));
  server.on(
    { userMessage: "write, then fail", hasToolResult: true },
    { error: { message: "x" }, status: 500 },
  );
  const outcome = await run("write, then fail", withTools({ write: () => "done" }));
  assert.ok(outcome.kind === "failed" && outcome.mayPass);
  assert.deepEqual([outcome.report?.toolsUsed, outcome.report?.acted], [["write"], true]);
  assert.ok(outcome.report?.usage);
});

test("a tool that changes something asks for permission and does not run without it", async () => {
  server.on({ userMessage: "may I write", hasToolResult: false }, call("write"));
  server.on({ userMessage: "may I write", hasToolResult: true }, { content: "As you say." });
  const order: string[] = [];
  const tools = withTools({ write: () => void order.push("written") });
  const permit = (isPermitted: boolean) => async () => {
    order.push(`asked ${isPermitted}`);
    return isPermitted;
  };
  const refused = await run("may I write", tools, { onActing: permit(false) });
  assert.ok(refused.kind === "replied" && refused.report?.acted === undefined);
  await run("may I write", tools, { onActing: permit(true) });
  assert.deepEqual(order, ["asked false", "asked true", "written"]);
});

test("a model that still calls tools at the step limit has failed, with that reason", async () => {
  server.onMessage("endlessly", { content: "Let me look again.", ...call("read") });
  let calls = 0;
  const tools = withTools({ read: () => `again ${calls++}` });
  const outcome = await run("endlessly", { ...tools, maxSteps: 3 });
  assert.ok(outcome.kind === "failed" && !outcome.mayPass);
  assert.match(outcome.reason, /last of its 3 steps.*maxSteps/);
  assert.equal(calls, 3);
});

test("a tool that ignores its signal delays nothing, and the toolbox is closed", async () => {
  server.onMessage("hang in the tool", call("read"));
  const stop = new AbortController();
  let closed = 0;
  const read = () => {
    setImmediate(() => stop.abort());
    return new Promise(() => undefined);
  };
  const open = async () => toolboxOf({ read }, { onClose: () => closed++ });
  const outcome = await agent({ openToolbox: open }).run(inputFor("hang in the tool"), stop.signal);
  assert.deepEqual(
    { ...outcome, report: undefined },
    { ...failed("it was stopped", true), report: undefined },
  );
  assert.deepEqual(outcome.report?.toolsUsed, ["read"]);
  assert.equal(closed, 1);
});

test("the toolbox is closed once after a reply, even if closing fails", async () => {
  server.onMessage("just answer", { content: "Yes." });
  let closed = 0;
  const stuck = async () => ({
    ...toolboxOf({}),
    close() {
      closed++;
      return Promise.reject(new Error("stuck"));
    },
  });
  assert.equal((await run("just answer", { openToolbox: stuck })).kind, "replied");
  assert.equal(closed, 1);
});

test("tools that are being opened when the run is stopped are closed afterwards", async () => {
  const opening = Promise.withResolvers<ReturnType<typeof toolboxOf>>();
  const closed = Promise.withResolvers<void>();
  const stop = new AbortController();
  const outcome = agent({ openToolbox: () => opening.promise }).run(inputFor("Hello."), stop.signal);
  stop.abort();
  assert.equal((await outcome).kind, "failed");
  opening.resolve(toolboxOf({}, { onClose: closed.resolve }));
  await closed.promise;
});

test("a tool server that cannot be reached is a failure with its reason", async () => {
  const unreachable = () => Promise.reject(new ToolFault("the MCP server x does not respond", true));
  const outcome = await run("Hello.", { openToolbox: unreachable });
  assert.deepEqual(outcome, { ...failed("the MCP server x does not respond", true), report: {} });
});

test("the toolbox gets the tools that the run was granted, and nothing else", async () => {
  server.onMessage("granted", { content: "Yes." });
  const opened: unknown[] = [];
  await run(
    "granted",
    {
      fetchHosts: ["example.com"],
      workspace: "/somewhere",
      async openToolbox({ granted, workspace, fetchHosts, mcp, environment }) {
        opened.push({ granted, workspace, fetchHosts, mcp, environment });
        return toolboxOf({});
      },
      environment: { A: "b" },
    },
    { tools: ["read", "mcp:x"] },
  );
  assert.deepEqual(opened, [
    {
      granted: ["read", "mcp:x"],
      workspace: "/somewhere",
      fetchHosts: ["example.com"],
      mcp: {},
      environment: { A: "b" },
    },
  ]);
});

test("with the real tools: reads and writes in the workspace, each counted", async (context) => {
  const workspace = makeFolder("model-tools");
  context.after(() => rmSync(workspace, { recursive: true, force: true }));
  writeFileSync(join(workspace, "a.txt"), "The boat is red.");
  const prompt = "copy it";
  const write = call("write", '{"path":"b.txt","content":"Red."}');
  server.on({ userMessage: prompt, turnIndex: 0 }, call("read"));
  server.on({ userMessage: prompt, turnIndex: 1, toolResultContains: "The boat is red." }, write);
  server.on({ userMessage: prompt, turnIndex: 2 }, { content: "Copied." });
  const outcome = await run(prompt, { openToolbox, workspace }, { tools: ["read", "write"] });
  assert.ok(outcome.kind === "replied" && outcome.reply === "Copied.", JSON.stringify(outcome));
  assert.equal(readFileSync(join(workspace, "b.txt"), "utf8"), "Red.");
  const { toolsUsed, acted } = outcome.report ?? {};
  assert.deepEqual([toolsUsed, acted], [["read", "write"], true]);
});

for (const kind of kinds)
  test(`text and tools are told in order by a model of kind ${kind}`, async (t) => {
    const workspace = makeFolder("told");
    t.after(() => rmSync(workspace, { recursive: true, force: true }));
    writeFileSync(join(workspace, "a.txt"), "forty-two");
    const prompt = `tell-${kind}`;
    const finish = kind === "google" && { finishReason: "stop" };
    const calls = [
      { name: "read", arguments: '{"path":"a.txt"}' },
      { name: "read", arguments: '{"path":"missing"}' },
    ];
    const looking = { content: "Let me look.", toolCalls: calls, ...finish };
    server.on({ userMessage: prompt, hasToolResult: false }, looking);
    server.on({ userMessage: prompt, hasToolResult: true }, { content: "It says forty-two, at length." });
    const { onEvent, lines } = hearing();
    const input = { model: modelOf(kind), tools: ["read"], onEvent };
    const outcome = await run(prompt, { workspace, openToolbox }, input);
    assert.ok(
      outcome.kind === "replied" && outcome.reply === "It says forty-two, at length.",
      JSON.stringify(outcome),
    );
    const firstTool = lines.findIndex((line) => line.includes("read("));
    const lastTool = lines.findLastIndex((line) => /: (true|false) /.test(line));
    assert.equal(lines.slice(0, firstTool).join(""), "+ Let me look.");
    const tools = lines.slice(firstTool, lastTool + 1).map((line) => line.replace(/^[^:]*: /, ""));
    assert.deepEqual(
      tools.filter((line) => line.startsWith("read(")),
      ['read({"path":"a.txt"})', 'read({"path":"missing"})'],
    );
    assert.equal(tools.filter((line) => line.startsWith("true ")).length, 1);
    assert.match(tools.find((line) => line.startsWith("true ")) ?? "", /forty-two/);
    assert.equal(tools.filter((line) => line.startsWith("false ")).length, 1);
    assert.equal(lines.slice(lastTool + 1).join(""), "+ It says forty-two, at length.");
  });

test("a call that did not run is not told as one that began", async () => {
  const { onEvent, lines } = hearing();
  server.on({ userMessage: "tell-nothing", hasToolResult: false }, call("destroy"));
  server.on({ userMessage: "tell-nothing", hasToolResult: true }, { content: "Sorry." });
  await run("tell-nothing", withTools({ read: () => "x" }), { onEvent });
  const begun = lines.filter((line) => line.includes("("));
  assert.deepEqual([begun, lines.at(-1)], [[], "+ Sorry."], "an end without a beginning says nothing");
});
