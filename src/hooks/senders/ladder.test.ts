// The ladder of a sender's path, with rows that no sender of the table has.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test, type TestContext } from "node:test";
import { aSender, senderSecret, sendersOf } from "../../../test/builders/sender-row.ts";
import { eventually, settled } from "../../../test/fakes/clock.ts";
import { assertStillServes, startHooks } from "../../../test/fixtures/hooks-server.ts";
import type { RawClient, RawResponse } from "../../../test/fixtures/raw-client.ts";
import type { SenderCalls } from "../../core/sender.ts";
import { echo, queryValue } from "./handshake.ts";
import type { SenderKind } from "./kind.ts";
import type { SenderPartsOptions } from "./parts.ts";

const signature = (body: string, secret = senderSecret): string =>
  `X-Signature: ${createHmac("sha256", secret).update(body).digest("hex")}`;

type More = { parts?: Partial<SenderPartsOptions>; settings?: object };

async function start(context: TestContext, row: Partial<SenderKind>, { parts, settings = {} }: More = {}) {
  const senders = sendersOf(aSender(row, settings), aSender({}, { name: "other" }));
  const hooks = await startHooks(context, { senders, ...(parts && { senderParts: parts }) });
  const send = async (
    method: string,
    target: string,
    headers: readonly string[] = [],
    body = "",
  ): Promise<RawResponse> => {
    const client = hooks.connect();
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    client.send(
      `${[`${method} ${target} HTTP/1.1`, "Host: x", length, ...headers].join("\r\n")}\r\n\r\n${body}`,
    );
    const response = await client.next();
    client.socket.destroy();
    return response;
  };
  const post = (body: string, name = "test", headers = [signature(body)]) =>
    send("POST", `/hooks/${name}`, headers, body);
  return { hooks, send, post };
}

const challenge: SenderKind["handshakes"] = [
  {
    proven: false,
    method: "GET",
    asks: (request) => queryValue(request, "challenge") !== null,
    answer: (request, { settings }) =>
      queryValue(request, "verify") === settings.verifyToken ? echo(queryValue(request, "challenge")!) : null,
  },
];

test("an open question by GET is answered, and a wrong one is the same 401", async (context) => {
  const { send, hooks } = await start(
    context,
    { handshakes: challenge },
    { settings: { verifyToken: "word" } },
  );
  const right = await send("GET", "/hooks/test?challenge=c-1&verify=word");
  assert.deepEqual([right.status, right.text], [200, "c-1"]);
  assert.equal(right.headers["content-type"], "text/plain; charset=utf-8");
  assert.equal(right.headers["x-content-type-options"], "nosniff");
  const unknown = await hooks.post("/hooks/no-such-name", "", []);
  for (const target of ["?challenge=c-1&verify=guess", "?challenge=c-1", "", "?challenge=a&challenge=b"]) {
    const { status, text } = await send("GET", `/hooks/test${target}`);
    assert.deepEqual([status, text], [401, unknown.text]);
  }
  const refused = await send("PUT", "/hooks/test");
  assert.deepEqual([refused.status, refused.headers["allow"]], [405, "POST, GET"]);
  assert.equal((await send("GET", "/hooks/other")).headers["allow"], "POST");
});

test("guesses at an open question are throttled, and the right one is still answered", async (context) => {
  const { send } = await start(context, { handshakes: challenge }, { settings: { verifyToken: "word" } });
  const statuses: number[] = [];
  for (let guess = 0; guess < 22; guess++)
    statuses.push((await send("GET", `/hooks/test?challenge=c&verify=${guess}`)).status);
  assert.deepEqual(statuses.slice(-3), [401, 429, 429]);
  assert.equal((await send("GET", "/hooks/test?challenge=c&verify=word")).status, 200);
});

test("a HEAD is answered without a body, and OPTIONS with its headers", async (context) => {
  const headers = { "WebHook-Allowed-Origin": "events.example" };
  const { send } = await start(context, {
    handshakes: [
      { proven: false, method: "HEAD", asks: () => true, answer: () => ({ status: 200 }) },
      { proven: false, method: "OPTIONS", asks: () => true, answer: () => ({ status: 204, headers }) },
    ],
  });
  assert.equal((await send("HEAD", "/hooks/test")).status, 200);
  const options = await send("OPTIONS", "/hooks/test");
  assert.deepEqual([options.status, options.headers["webhook-allowed-origin"]], [204, "events.example"]);
});

test("a question inside of a proven request that is asked wrongly is a 401", async (context) => {
  const { post, hooks } = await start(context, {
    handshakes: [{ proven: true, asks: ({ body }) => body.includes("ask"), answer: () => null }],
  });
  assert.equal((await post('"ask"')).status, 401);
  assert.equal((await post('"event"')).status, 200);
  assert.equal(hooks.records.length, 1);
});

test("an unproven question by POST is short, and what asks nothing is a 401", async (context) => {
  const { post } = await start(context, {
    handshakes: [
      {
        proven: false,
        method: "POST",
        asks: ({ body }) => body.toString().startsWith("ask"),
        answer: () => ({ status: 200, type: "application/json", body: '{"answer":true}' }),
      },
    ],
  });
  assert.deepEqual((await post("ask", "test", [])).json, { answer: true });
  assert.equal((await post("tell", "test", [])).status, 401);
  assert.equal((await post(`ask${"x".repeat(65_536)}`, "test", [])).status, 401);
  assert.equal((await post("ask", "test", [signature("ask", "another")])).status, 200);
});

test("a key that arrives by request is taken once, and proves what comes after it", async (context) => {
  const stored = new Map<string, string>();
  const state = { isOpen: false };
  const store = {
    noteCalls: async () => {},
    senderKeys: async () => new Map(stored),
    takeKey: async ({ name, secret }: { name: string; secret: string }) => {
      if (!state.isOpen || stored.has(name)) return false;
      stored.set(name, secret);
      return true;
    },
  };
  const { post } = await start(
    context,
    {
      secret: { from: "pairing", where: "it sends one" },
      handshakes: [
        {
          proven: false,
          method: "POST",
          asks: ({ body }) => body.toString().startsWith("key "),
          answer: async ({ body }, { pairing }) =>
            (await pairing?.take(body.toString().slice(4))) ? { status: 200 } : null,
        },
      ],
    },
    { parts: { store }, settings: { secrets: [] } },
  );
  assert.equal((await post("{}", "test", [signature("{}", "k1")])).status, 401);
  assert.equal((await post("key k1", "test", [])).status, 401, "nobody waits for a key");
  state.isOpen = true;
  assert.equal((await post("key k1", "test", [])).status, 200);
  assert.equal((await post("key k2", "test", [])).status, 401);
  assert.equal((await post("{}", "test", [signature("{}", "k2")])).status, 401);
  assert.equal((await post("{}", "test", [signature("{}", "k1")])).status, 200);
});

test("a row that must hear 401 never gets 429", async (context) => {
  const { post } = await start(context, { always401: true });
  for (let count = 0; count < 25; count++)
    assert.equal((await post("{}", "test", [signature("{}", "wrong")])).status, 401);
});

test("other methods bring events where the row says so", async (context) => {
  const { send, hooks } = await start(context, { methods: ["PUT"] });
  assert.equal((await send("PUT", "/hooks/test", [signature("{}")], "{}")).status, 200);
  assert.equal((await send("POST", "/hooks/test", [signature("{}")], "{}")).headers["allow"], "PUT");
  assert.equal(hooks.records.length, 1);
});

test("what a proof needs cannot be fetched: 503, and no failure is counted", async (context) => {
  const noted: SenderCalls[] = [];
  const store = {
    noteCalls: async (calls: readonly SenderCalls[]) => void noted.push(...calls),
    senderKeys: async () => new Map<string, string>(),
    takeKey: async () => false,
  };
  const prove = () => Promise.reject(new Error("the certificate is not there"));
  const { post } = await start(
    context,
    { schemes: [{ proof: { kind: "code", prove } }] },
    { parts: { store } },
  );
  for (let count = 0; count < 25; count++) {
    const response = await post("{}");
    assert.deepEqual([response.status, response.json["code"]], [503, "proof-unavailable"]);
    assert.ok(response.headers["retry-after"]);
  }
  assert.deepEqual(noted, []);
});

/** Opens a request with a good head whose body never comes. */
function hold(hooks: { connect(): RawClient }, name: string): RawClient {
  const client = hooks.connect();
  client.send(`POST /hooks/${name} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n${signature("x")}\r\n\r\n`);
  return client;
}

test("a body that never ends holds its place for a time, gets a 408 and counts as a failure", async (context) => {
  const { hooks, post } = await start(context, {}, { parts: { bodyTimeoutMs: 50 } });
  for (let count = 0; count < 21; count++) {
    const response = await hold(hooks, "test").next();
    assert.deepEqual([response.status, response.headers["connection"]], [408, "close"]);
  }
  assert.equal((await post("{}", "test", [])).status, 429);
});

test("a flood of bodies that never end starves neither another sender nor a token's hook", async (context) => {
  const placeLimits = { reads: 4, bytes: 1_000_000, waitMs: 50 };
  const { hooks, post } = await start(context, {}, { parts: { placeLimits, bodyTimeoutMs: 20_000 } });
  const held = Array.from({ length: 10 }, () => hold(hooks, "test"));
  const late = await Promise.all(held.slice(2).map((client) => client.next()));
  for (const response of late) {
    assert.deepEqual([response.status, response.json["code"]], [503, "too-many-bodies"]);
    assert.equal(response.headers["connection"], "close");
    assert.ok(Number(response.headers["retry-after"]) >= 1);
  }
  assert.equal((await post("{}", "other")).status, 200);
  await assertStillServes(hooks);
  for (const { socket } of held) socket.destroy();
  await eventually(async () => (await post("{}")).status === 200);
});

test("a caller that goes away gives its place back", async (context) => {
  const placeLimits = { reads: 1, bytes: 1_000_000, waitMs: 5000 };
  const { hooks, post } = await start(context, {}, { parts: { placeLimits } });
  const client = hold(hooks, "test");
  await eventually(() => hooks.server.connections() > 0);
  const waiting = post("{}", "other");
  client.socket.destroy();
  assert.equal((await waiting).status, 200);
});

test("a caller that goes away while it waits for a place leaves none behind", async (context) => {
  const placeLimits = { reads: 1, bytes: 1_000_000, waitMs: 5000 };
  const { hooks, post } = await start(context, {}, { parts: { placeLimits, bodyTimeoutMs: 20_000 } });
  const [first, second] = [hold(hooks, "test"), hold(hooks, "test")];
  await eventually(() => hooks.server.connections() === 2);
  await settled();
  second.socket.destroy();
  await eventually(() => hooks.server.connections() === 1);
  first.socket.destroy();
  assert.equal((await post("{}", "other")).status, 200);
});

test("while the gateway stops, no body is taken", async (context) => {
  const senders = sendersOf(aSender());
  const hooks = await startHooks(context, { senders, stopping: () => true });
  const response = await hooks.post("/hooks/test", "{}", [signature("{}")]);
  assert.deepEqual([response.status, response.json["code"]], [503, "stopping"]);
});
