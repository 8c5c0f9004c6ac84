import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import {
  failed,
  httpAgent,
  json,
  neverStopped,
  replied,
  serveAgents,
  stream,
} from "../../../test/fixtures/agent-service.ts";
import { agentContract, contractInput } from "../agent.contract.ts";
import type { AgentInput } from "../agent.ts";

const { agentOf, run, record } = serveAgents();

agentContract("http", {
  replying: () => agentOf(json({ reply: "Hello." })),
  telling: () => agentOf(stream('data: {"delta":"Hel"}\n\n', "data: lo.\n\n", "data: [DONE]\n\n")),
  failing: () => agentOf(json({}, 500)),
  endless: () => agentOf(() => {}),
});

test("sends the input, and the history of a conversation", async () => {
  const { url, received } = record();
  const agent = httpAgent(url);
  const input: AgentInput = {
    ...contractInput("Look at ünï 🙂"),
    instructions: "Look at [data 1]",
    data: [{ id: 1, label: "body", source: "request", text: "ünï", truncated: false, length: 3 }],
    model: "m",
    thinking: "high",
  };
  const history = [{ role: "user" as const, text: "Before." }];
  await agent.run(input, neverStopped());
  await agent.run({ ...input, conversation: { history, foreignSession: null } }, neverStopped());
  const expected = {
    runId: input.runId,
    agentId: "main",
    sessionKey: "hook:contract",
    instructions: input.instructions,
    data: input.data,
    message: input.prompt,
    model: "m",
    thinking: "high",
    timeoutSeconds: 60,
  };
  const bodies = received.map(({ body }) => JSON.parse(body.toString()) as unknown);
  assert.deepEqual(bodies, [expected, { ...expected, history }]);
  assert.equal(received[0]?.headers["content-type"], "application/json");
  assert.equal(received[0]?.headers["webhook-signature"], undefined);
});

test("passes the trace on", async () => {
  const { url, received } = record();
  const agent = httpAgent(url);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await agent.run(contractInput(), neverStopped());
  await agent.run({ ...contractInput(), trace: `${traceparent} a=1` }, neverStopped());
  assert.deepEqual(
    received.map(({ headers }) => [headers["traceparent"], headers["tracestate"]]),
    [
      [undefined, undefined],
      [traceparent, "a=1"],
    ],
  );
});

test("an account in the address is sent as Basic authorization", async () => {
  const { url, received } = record();
  await httpAgent(url.replace("://", "://ada:p%40ss@")).run(contractInput(), neverStopped());
  const account = Buffer.from("ada:p@ss").toString("base64");
  assert.equal(received[0]?.headers["authorization"], `Basic ${account}`);
});

test("signs the body as it was sent", async () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const { url, received } = record();
  const agent = httpAgent(url, `whsec_${key.toString("base64")}`, () => 1_700_000_000_999);
  assert.equal((await agent.run(contractInput("ünï 🙂"), neverStopped())).kind, "replied");
  const { headers, body } = received[0]!;
  assert.equal(headers["webhook-id"], contractInput().runId);
  assert.equal(headers["webhook-timestamp"], "1700000000");
  const content = Buffer.concat([Buffer.from(`${contractInput().runId}.1700000000.`), body]);
  const mac = createHmac("sha256", key).update(content).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${mac}`);
});

test("a reply ends the run, even when the stream stays open", { timeout: 20_000 }, async () => {
  let closed = false;
  const outcome = await run((response) => {
    response.on("close", () => (closed = true));
    response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"reply":"a"}\n\n');
  });
  assert.deepEqual(outcome, replied("a"));
  await eventually(() => closed, "the end of the connection");
});

test("a run that is stopped in the middle of a stream ends at once", { timeout: 20_000 }, async () => {
  const stop = new AbortController();
  let closed = false;
  const agent = agentOf((response) => {
    response.on("close", () => (closed = true));
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: a\n\n", () => stop.abort());
  });
  assert.deepEqual(await agent.run(contractInput(), stop.signal), failed("it was stopped", true));
  await eventually(() => closed, "the end of the connection");
});
