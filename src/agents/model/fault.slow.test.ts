import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import {
  capturingFetch,
  going,
  kinds,
  modelOf,
  startServer,
  inputFor,
} from "../../../test/fixtures/model-server.ts";

const { server, agent, run, models } = await startServer();

for (const [status, mayPass, words] of [
  [400, false, /refused the request \(400, bad_thing\)/],
  [401, false, /did not accept the key/],
  [402, false, /paid/],
  [403, false, /does not allow/],
  [404, false, /does not know the model small/],
  [413, false, /too long/],
  [408, true, /408/],
  [429, true, /too many requests/],
  [500, true, /has a fault \(500/],
  [503, true, /has a fault \(503/],
  [529, true, /has a fault \(529/],
] as const)
  test(`status ${status} is a failure that ${mayPass ? "may" : "does not"} pass, in words of ours`, async () => {
    const message = "Incorrect key key-of-mine for: SECRET PROMPT";
    server.onMessage(`status-${status} SECRET`, { error: { message, code: "bad_thing" }, status });
    for (const kind of kinds) {
      const outcome = await run(`status-${status} SECRET`, {}, { model: modelOf(kind) });
      assert.ok(outcome.kind === "failed");
      assert.equal(outcome.mayPass, mayPass, kind);
      if (kind === "openai-compatible") assert.match(outcome.reason, words);
      assert.ok(outcome.reason.startsWith(`the model server ${kind} `), outcome.reason);
      assert.ok(!/SECRET|key-of-mine/.test(outcome.reason), outcome.reason);
    }
  });

test("a failure for lack of credit does not pass", async () => {
  server.onMessage("no credit", { error: { message: "x", code: "insufficient_quota" }, status: 429 });
  const outcome = await run("no credit");
  assert.ok(outcome.kind === "failed" && !outcome.mayPass && outcome.retryAfterMs === undefined);
  assert.match(outcome.reason, /no credit left/);
});

test("each attempt is one request: 500 twice, then a reply", async () => {
  const error = { error: { message: "x" }, status: 500 };
  server.on({ userMessage: "third time", sequenceIndex: 0 }, error);
  server.on({ userMessage: "third time", sequenceIndex: 1 }, error);
  server.on({ userMessage: "third time", sequenceIndex: 2 }, { content: "There." });
  const { sent, fetch } = capturingFetch();
  const outcomes = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    outcomes.push(await run("third time", { fetch }));
    assert.equal(sent.length, attempt);
  }
  const [first, second, third] = outcomes;
  assert.ok(first?.kind === "failed" && first.mayPass && second?.kind === "failed" && second.mayPass);
  assert.equal(third?.kind, "replied");
});

test(
  "a server that asks to wait an hour is reported at once, without waiting",
  { timeout: 60_000 },
  async () => {
    server.onMessage("in an hour", { error: { message: "x" }, status: 429, retryAfter: 3600 });
    for (const kind of kinds) {
      const { sent, fetch } = capturingFetch();
      const input = { ...inputFor("in an hour"), model: modelOf(kind) };
      const outcome = await agent({ fetch }).run(input, going());
      assert.ok(outcome.kind === "failed" && outcome.mayPass, kind);
      assert.equal(outcome.retryAfterMs, 3_600_000);
      assert.equal(sent.length, 1);
      await agent().run(input, AbortSignal.timeout(1000));
    }
  },
);

const long = { content: "word ".repeat(20) };

for (const kind of kinds) {
  test(`a connection that breaks in the middle (${kind}) may pass`, async () => {
    server.onMessage(`break-${kind}`, long, { chunkSize: 5, latency: 20, disconnectAfterMs: 100 });
    const outcome = await run(`break-${kind}`, {}, { model: modelOf(kind) });
    assert.ok(outcome.kind === "failed" && outcome.mayPass);
    assert.match(outcome.reason, /broke off|could not be reached/);
  });

  test(`a response that ends in the middle (${kind}) may pass`, async () => {
    server.onMessage(`end-${kind}`, long, { chunkSize: 5 });
    const half = async (response: Response) => {
      const text = await response.text();
      const cut = text.lastIndexOf("\n\n", text.length / 2) + 2;
      return new Response(text.slice(0, cut), { headers: response.headers });
    };
    const outcome = await run(`end-${kind}`, capturingFetch(half), { model: modelOf(kind) });
    assert.ok(outcome.kind === "failed" && outcome.mayPass, JSON.stringify(outcome));
    assert.match(outcome.reason, /broke off$/);
  });

  test(`a response of another form (${kind}) may pass`, async () => {
    const page = () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } });
    server.onMessage(`page-${kind}`, long);
    const outcome = await run(`page-${kind}`, capturingFetch(page), { model: modelOf(kind) });
    assert.ok(outcome.kind === "failed" && outcome.mayPass, JSON.stringify(outcome));
  });
}

test("a fault that is reported inside a response may pass, unless it is a refusal", async () => {
  const reporting = (type: string) => () => {
    const event = { type: "error", error: { type, message: "SECRET" } };
    const text = `event: error\ndata: ${JSON.stringify(event)}\n\n`;
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  server.onMessage("inside", long);
  for (const [type, mayPass] of [
    ["overloaded_error", true],
    ["invalid_request_error", false],
  ] as const) {
    const outcome = await run("inside", capturingFetch(reporting(type)), { model: modelOf("anthropic") });
    assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
    assert.deepEqual([outcome.mayPass, outcome.reason.includes("SECRET")], [mayPass, false], outcome.reason);
  }
});

test("a server that does not listen may pass", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const address = closed.address();
  assert.ok(address !== null && typeof address === "object");
  await new Promise((resolve) => closed.close(resolve));
  const gone = { ...models.providers["local"]!, baseUrl: `http://127.0.0.1:${address.port}/v1` };
  const outcome = await run("Hello.", { models: { providers: { local: gone } } });
  assert.ok(outcome.kind === "failed" && outcome.mayPass);
  assert.equal(outcome.reason, "the model server local could not be reached (ECONNREFUSED)");
});

for (const kind of kinds)
  test(`stopped in the middle of a response (${kind}), it ends at once and closes the connection`, async () => {
    server.onMessage(`slow-${kind}`, long, { chunkSize: 5, latency: 100 });
    const stop = new AbortController();
    const { sent, fetch } = capturingFetch((response) => {
      setImmediate(() => stop.abort());
      return response;
    });
    const input = { ...inputFor(`slow-${kind}`), model: modelOf(kind) };
    const outcome = await agent({ fetch }).run(input, stop.signal);
    assert.deepEqual(outcome, { kind: "failed", reason: "it was stopped", mayPass: true, report: {} });
    assert.ok(sent[0]?.signal?.aborted);
  });

test("a reply after which the signal fires stays a reply", async () => {
  server.onMessage("quick", { content: "Here." });
  const stop = new AbortController();
  const outcome = await agent().run(inputFor("quick"), stop.signal);
  stop.abort();
  assert.equal(outcome.kind, "replied");
  assert.equal((await agent().run(inputFor("quick"), going())).kind, "replied");
});
