import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createPlainServer, type Socket } from "node:net";
import { after, before, test, type TestContext } from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import { agentContract, contractInput } from "../agent.contract.ts";
import type { AgentInput } from "../agent.ts";
import { createHttpAgent } from "./http.ts";

type Received = { headers: IncomingHttpHeaders; body: Buffer };
type Answer = (response: ServerResponse, received: Received) => void;

const answers = new Map<string, Answer>();
const listener: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    answers.get(request.url ?? "")?.(response, { headers: request.headers, body: Buffer.concat(chunks) });
  });
};
const server = createServer(listener);
let port = 0;
before(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const agentAt = (url: string, secret: string | null = null, now = Date.now) =>
  createHttpAgent(
    {
      kind: "http",
      id: "main",
      default: true,
      workspace: "/nowhere",
      instructions: null,
      instructionsFile: null,
      fallback: null,
      tools: [],
      model: null,
      thinking: null,
      url,
      secret,
    },
    { now },
  );

const answering = (answer: Answer, secret: string | null = null, now = Date.now) => {
  const path = `/${answers.size}?token=hidden`;
  answers.set(path, answer);
  return agentAt(`http://127.0.0.1:${port}${path}`, secret, now);
};
const going = () => new AbortController().signal;
const run = (answer: Answer, input: AgentInput = contractInput()) => answering(answer).run(input, going());

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(value));
const stream =
  (...pieces: string[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
const replied = (reply: string) => ({ kind: "replied", reply });
const failed = (reason: string, mayPass = false) => ({ kind: "failed", reason, mayPass });

agentContract("http", {
  replying: () => answering(json({ reply: "Hello." })),
  failing: () => answering(json({}, 500)),
  endless: () => answering(() => {}),
});

/** Answers everything, and keeps what came. */
const receiving = (secret: string | null = null, now = Date.now) => {
  const received: Received[] = [];
  const agent = answering(
    (response, request) => {
      received.push(request);
      json({ reply: "ok" })(response, request);
    },
    secret,
    now,
  );
  return { agent, received };
};

test("sends the input, and the history of a conversation", async () => {
  const { agent, received } = receiving();
  const input: AgentInput = {
    ...contractInput("Look at ünï 🙂"),
    instructions: "Look at [data 1]",
    data: [{ id: 1, label: "body", source: "request", text: "ünï", truncated: false, length: 3 }],
    model: "m",
    thinking: "high",
  };
  const history = [{ role: "user" as const, text: "Before." }];
  await agent.run(input, going());
  await agent.run({ ...input, conversation: { history, foreignSession: null } }, going());
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
  const { agent, received } = receiving();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await agent.run(contractInput(), going());
  await agent.run({ ...contractInput(), trace: `${traceparent} a=1` }, going());
  assert.deepEqual(
    received.map(({ headers }) => [headers["traceparent"], headers["tracestate"]]),
    [
      [undefined, undefined],
      [traceparent, "a=1"],
    ],
  );
});

test("an account in the address is the service's own", async () => {
  const { received } = receiving();
  const path = [...answers.keys()].at(-1)!;
  await agentAt(`http://ada:p%40ss@127.0.0.1:${port}${path}`).run(contractInput(), going());
  const account = Buffer.from("ada:p@ss").toString("base64");
  assert.equal(received[0]?.headers["authorization"], `Basic ${account}`);
});

test("signs the body as it was sent", async () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const { agent, received } = receiving(`whsec_${key.toString("base64")}`, () => 1_700_000_000_999);
  assert.equal((await agent.run(contractInput("ünï 🙂"), going())).kind, "replied");
  const { headers, body } = received[0]!;
  assert.equal(headers["webhook-id"], contractInput().runId);
  assert.equal(headers["webhook-timestamp"], "1700000000");
  const content = Buffer.concat([Buffer.from(`${contractInput().runId}.1700000000.`), body]);
  const mac = createHmac("sha256", key).update(content).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${mac}`);
});

test("takes the reply out of JSON, trimmed, with the tokens that were used", async () => {
  const usage = { inputTokens: 12, outputTokens: 3 };
  const report = { usage };
  assert.deepEqual(await run(json({ reply: " ünï 🙂\n", usage })), { ...replied("ünï 🙂"), report });
  assert.deepEqual(await run(json({ reply: "a", usage: { inputTokens: -1 } })), replied("a"));
  assert.deepEqual(await run(json({ reply: "a" }, 201)), replied("a"));
});

for (const [what, pieces, expected] of [
  ["deltas", ['data: {"delta":"Hel"}\n\n', 'data: {"delta":"lo."}\n\n', "data: [DONE]\n\n"], "Hello."],
  ["deltas up to the end of the stream", ['data: {"delta":"Hel"}\n\ndata: {"delta":"lo."}'], "Hello."],
  ["a reply over deltas", ['data: {"delta":"Hel"}\n\n', 'data: {"reply":"Bye."}\n\n'], "Bye."],
  ["plain text", ["data: Hel\n\n", "data: lo.\n\n", "data: [DONE]\n\n"], "Hello."],
  ["a plain reply", ["data: no\n\n", "event: reply\ndata: Hel\ndata: lo.\n\n"], "Hel\nlo."],
  ["named events and comments", [": ping\n\n", "event: ping\ndata: x\n\n", "event: delta\ndata: a\n\n"], "a"],
  ["nothing after the end", ["data: a\n\n", "data: [DONE]\n\n", "data: b\n\n"], "a"],
] as const)
  test(`takes the reply out of events: ${what}`, async () => {
    assert.deepEqual(await run(stream(...pieces)), replied(expected));
  });

test("the tokens of a stream may come with any of its events", async () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const outcome = await run(stream(`data: ${JSON.stringify({ usage })}\n\n`, "data: a\n\n"));
  assert.deepEqual(outcome, { ...replied("a"), report: { usage } });
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

test("an error in a stream is a failure in its own words", async () => {
  const error = (data: string) => run(stream("data: a\n\n", `event: error\ndata: ${data}\n\n`));
  assert.deepEqual(await error('{"error":"no\\nroom"}'), failed("the service says: no room"));
  assert.deepEqual(await error("plain"), failed("the service says: plain"));
  assert.deepEqual(await error('{"secret":"x"}'), failed("the service says: no reason given"));
  assert.deepEqual(await run(stream('data: {"error":"x"}\n\n')), failed("the service says: x"));
});

for (const [what, answer, reason] of [
  [
    "202",
    json({ reply: "a" }, 202),
    "the service answered 202, without a reply: the answer itself must bring it",
  ],
  ["204", json({}, 204), "the service answered 204, without a reply: the answer itself must bring it"],
  ["a blank reply", json({ reply: " \n" }), "the service gave no reply"],
  ["an empty stream", stream(""), "the service gave no reply"],
  ["JSON without a reply", json({ secret: "x" }), 'the service\'s answer has no "reply"'],
  ["JSON with an error", json({ error: "busy" }), "the service says: busy"],
  ["no object", json(["x"]), "the service's answer is not a JSON object"],
  [
    "no JSON",
    (response) => void response.writeHead(200, { "content-type": "application/json" }).end("secret"),
    "the service's answer is not a JSON object",
  ],
  [
    "another type",
    (response) => void response.writeHead(200, { "content-type": "text/html" }).end("secret"),
    "the service answered with text/html, not JSON or server-sent events",
  ],
  [
    "no type",
    (response) => void response.end("secret"),
    "the service answered with no content type, not JSON or server-sent events",
  ],
  [
    "a redirect",
    json({ reply: "a" }, 307, { location: "/elsewhere" }),
    "the service answered 307: redirects are not followed, give the final address",
  ],
  ["a refusal", json({ reply: "a" }, 403), "the service answered 403"],
  [
    "a refusal with a reason",
    json({ error: { message: "not\nyou" } }, 403),
    "the service answered 403: not you",
  ],
] as [string, Answer, string][])
  test(`cannot pass: ${what}`, async () => {
    assert.deepEqual(await run(answer), failed(reason));
  });

test("a failure that may pass says when to come again", async () => {
  const now = Date.parse("Mon, 02 Nov 2026 10:00:00 GMT");
  const after = (status: number, retryAfter: string) =>
    answering(json({ error: "later" }, status, { "retry-after": retryAfter }), null, () => now).run(
      contractInput(),
      going(),
    );
  const later = (status: number, retryAfterMs: number) => ({
    ...failed(`the service answered ${status}: later`, true),
    retryAfterMs,
  });
  assert.deepEqual(await after(429, "120"), later(429, 120_000));
  assert.deepEqual(await after(503, "Mon, 02 Nov 2026 10:01:00 GMT"), later(503, 60_000));
  assert.deepEqual(await after(500, "Mon, 02 Nov 2026 09:00:00 GMT"), later(500, 0));
  for (const nonsense of ["soon", "-5", "99999999999999999999"])
    assert.deepEqual(await after(500, nonsense), failed("the service answered 500: later", true), nonsense);
  assert.deepEqual(await after(400, "120"), failed("the service answered 400: later"));
});

test("shows at most 300 characters of the service's own words", async () => {
  const outcome = await run(json({ error: "x".repeat(1000) }, 500));
  assert.ok(outcome.kind === "failed");
  assert.equal(outcome.reason, `the service answered 500: ${"x".repeat(299)}…`);
});

test("more than a megabyte is a failure, and no more of it is read", { timeout: 20_000 }, async () => {
  const tooMuch = failed("the service answered with more than 1048576 bytes");
  const endless =
    (type: string, piece: string): Answer =>
    (response) => {
      response.writeHead(200, { "content-type": type });
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    };
  assert.deepEqual(await run(endless("application/json", "x".repeat(10_000))), tooMuch);
  assert.deepEqual(await run(endless("text/event-stream", `data: ${"x".repeat(10_000)}\n\n`)), tooMuch);
  assert.deepEqual(await run(endless("text/event-stream", "x".repeat(10_000))), tooMuch);
  assert.deepEqual(await run(endless("text/html", "x")), {
    ...failed("the service answered with text/html, not JSON or server-sent events"),
  });
});

for (const [what, answer] of [
  [
    "in JSON",
    (response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        .write('{"reply":"a"}', () => response.destroy()),
  ],
  [
    "in a stream",
    (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write("data: a\n\n", () => response.socket?.resetAndDestroy()),
  ],
] as [string, Answer][])
  test(`a response that is cut off may pass: ${what}`, async () => {
    assert.deepEqual(await run(answer), failed("the service's answer was cut off: ECONNRESET", true));
  });

test("a connection that breaks before the response may pass", async () => {
  const outcome = await run((response) => void response.socket?.resetAndDestroy());
  assert.deepEqual(outcome, failed("the service could not be reached: ECONNRESET", true));
});

test("a service that is not there may pass, and its address is not in the reason", async () => {
  const closed = createPlainServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  closed.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  const outcome = await agentAt(`http://127.0.0.1:${free}/?token=hidden`).run(contractInput(), going());
  assert.deepEqual(outcome, failed("the service could not be reached: ECONNREFUSED", true));
});

test("stopped in the middle of a stream, it ends at once", { timeout: 20_000 }, async () => {
  const stop = new AbortController();
  let closed = false;
  const agent = answering((response) => {
    response.on("close", () => (closed = true));
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: a\n\n", () => stop.abort());
  });
  assert.deepEqual(await agent.run(contractInput(), stop.signal), failed("it was stopped", true));
  await eventually(() => closed, "the end of the connection");
});

/** What happens to the n-th request on a connection. */
async function serverWith(t: TestContext, onRequest: (count: number, socket: Socket) => void) {
  const seen = { connections: 0, requests: 0 };
  const service = createPlainServer((socket) => {
    seen.connections++;
    let count = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (!chunk.includes("POST ")) return;
      seen.requests++;
      onRequest(++count, socket);
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  service.listen(0, "127.0.0.1", resolve);
  await promise;
  t.after(() => service.close());
  return { seen, agent: agentAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}/`) };
}

const reply = '{"reply":"done"}';
const answerOn = (socket: Socket): void =>
  void socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${reply.length}\r\n\r\n${reply}`,
  );

/** A connection can be taken again in the turn of the event loop that follows. */
const isFree = () => new Promise((resolve) => setImmediate(resolve));

test("a connection is kept for the next run", async (t) => {
  const { seen, agent } = await serverWith(t, (_count, socket) => answerOn(socket));
  for (let each = 0; each < 3; each++) {
    assert.deepEqual(await agent.run(contractInput(), going()), replied("done"));
    await isFree();
  }
  assert.deepEqual(seen, { connections: 1, requests: 3 });
});

test("a kept connection that the service has closed is no failure: a new one is made, once", async (t) => {
  const { seen, agent } = await serverWith(t, (count, socket) =>
    count === 1 ? answerOn(socket) : void socket.resetAndDestroy(),
  );
  assert.deepEqual(await agent.run(contractInput(), going()), replied("done"));
  await isFree();
  assert.deepEqual(await agent.run(contractInput(), going()), replied("done"));
  assert.deepEqual(seen, { connections: 2, requests: 3 });
});

test("a new connection that is reset is a failure that may pass", async (t) => {
  const { seen, agent } = await serverWith(t, (_count, socket) => void socket.resetAndDestroy());
  const outcome = await agent.run(contractInput(), going());
  assert.ok(outcome.kind === "failed" && outcome.mayPass);
  assert.equal(seen.requests, 1);
});
