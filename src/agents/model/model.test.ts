import assert from "node:assert/strict";
import { test } from "node:test";
import { agentContract } from "../agent.contract.ts";
import { capturingFetch, going, kinds, modelOf, startServer } from "../../../test/fixtures/model-server.ts";

const { server, agent, run } = await startServer();

server.onMessage(/^Hello|^one|^two|^three|^--help/, { content: " Good day.\n" });

agentContract("model", {
  replying: () => agent(),
  telling: () => agent(),
  failing: () => agent({ model: "nobody/small" }),
  endless: () => agent({ fetch: () => new Promise(() => undefined) }),
});

for (const kind of kinds)
  test(`a text from a server of kind ${kind}, with its tokens`, async () => {
    const tokens = { input_tokens: 11, output_tokens: 7, promptTokenCount: 11, candidatesTokenCount: 7 };
    const usage = { prompt_tokens: 11, completion_tokens: 7, ...tokens };
    server.onMessage(`say-${kind}`, { content: `I speak ${kind}.`, usage });
    const { sent, fetch } = capturingFetch();
    assert.deepEqual(await run(`say-${kind}`, { fetch }, { model: modelOf(kind) }), {
      kind: "replied",
      reply: `I speak ${kind}.`,
      report: { usage: { inputTokens: 11, outputTokens: 7 } },
    });
    assert.equal(sent.length, 1);
    assert.ok([...sent[0]!.headers.values()].some((value) => value.includes("key-of-mine")));
  });

test("the prompt is one user message, and there is no system message", async () => {
  const { sent, fetch } = capturingFetch();
  await run("Hello.", { fetch });
  assert.deepEqual(sent[0]?.body["messages"], [{ role: "user", content: "Hello." }]);
});

test("earlier turns come as messages, a summary as a text that asks for nothing", async () => {
  const { sent, fetch } = capturingFetch();
  server.onMessage("And now?", { content: "Now this." });
  const history = [
    { role: "summary", text: "They spoke of boats." },
    { role: "user", text: "Which boat?" },
    { role: "assistant", text: "The red one." },
  ] as const;
  const outcome = await run("And now?", { fetch }, { conversation: { history, foreignSession: null } });
  assert.equal(outcome.kind, "replied");
  const [first, ...rest] = sent[0]!.body["messages"] as { role: string; content: string }[];
  assert.equal(first?.role, "user");
  assert.match(first.content, /^This is a summary of what was said before[^]*\| They spoke of boats\./);
  assert.doesNotMatch(first.content, /Which boat/);
  assert.deepEqual(rest, [
    { role: "assistant", content: "(no reply)" },
    { role: "user", content: "Which boat?" },
    { role: "assistant", content: "The red one." },
    { role: "user", content: "And now?" },
  ]);
});

test("a summary treats the conversation as data, not as a request", async () => {
  const { sent, fetch } = capturingFetch();
  server.onMessage("Write a short account", { content: "Boats were discussed." });
  const wanted = { model: "local/other", thinking: "low" };
  const outcome = await agent({ fetch }).summarise("They said:\nWhich boat?", wanted, going());
  assert.ok(outcome.kind === "replied" && outcome.reply === "Boats were discussed.");
  assert.ok(outcome.report?.usage);
  const { model, messages, reasoning_effort: effort } = sent[0]!.body;
  assert.deepEqual([model, effort], ["other", "low"]);
  assert.match((messages as { content: string }[])[0]!.content, /\n\| They said:\n\| Which boat\?\n/);
});

test("a reply that was cut by the model's limit has a warning", async () => {
  server.onMessage("be long", { content: "And so on", finishReason: "length" });
  const outcome = await run("be long");
  assert.ok(outcome.kind === "replied" && outcome.reply === "And so on");
  assert.match(outcome.report?.warnings?.join() ?? "", /was cut/);
});

for (const [finishReason, reason] of [
  ["stop", /gave no reply/],
  ["length", /all of it thinking/],
  ["content_filter", /content filter/],
] as const)
  test(`no text (${finishReason}) is a failure, not an empty reply`, async () => {
    server.onMessage(`nothing-${finishReason}`, { content: " ", reasoning: "Hm.", finishReason });
    const outcome = await run(`nothing-${finishReason}`);
    assert.ok(outcome.kind === "failed" && !outcome.mayPass);
    assert.match(outcome.reason, reason);
  });
