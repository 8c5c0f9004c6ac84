import assert from "node:assert/strict";
import test from "node:test";
import { StoreUnavailable } from "../core/errors.ts";
import { isId } from "../core/id.ts";
import { outsideMessage } from "../core/message.ts";
import { admitsIf, post, startHooks, testConfig, token } from "../../test/fixtures/hooks-server.ts";
import { mappingsOf } from "../../test/fixtures/mapping-config.ts";
import { prepareMappings } from "./mapping/prepare.ts";

const right = `Authorization: Bearer ${token}`;
const wrong = "Authorization: Bearer wrong";

test("wake is stored and gets 200", async (context) => {
  const hooks = await startHooks(context);
  const response = await hooks.post("/hooks/wake", { text: " hello " });
  assert.equal(response.status, 200);
  assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
  const [acceptance] = hooks.accepted;
  assert.deepEqual(response.json, { ok: true, mode: "now", eventId: acceptance?.events[0]?.id });
  assert.ok(isId(String(response.json["eventId"])));
  assert.deepEqual(acceptance?.events[0]?.text, outsideMessage("text", "request", "hello"));
  assert.equal(acceptance?.heartbeat?.delayMs, 250);
});

test("agent is stored and gets 202", async (context) => {
  const hooks = await startHooks(context);
  const response = await hooks.post("/hooks/agent/?x=1", { message: "go" }, [`X-Gateway-Token: ${token}`]);
  assert.equal(response.status, 202);
  assert.deepEqual(response.json, { ok: true, runId: hooks.accepted[0]?.runs[0]?.id });
  assert.equal(hooks.accepted[0]?.heartbeat, null);
});

test("every rung refuses in the order of the contract", async (context) => {
  const hooks = await startHooks(context, { hooks: { allowedAgentIds: [], maxBodyBytes: 1000 } });
  const big = "x".repeat(2000);
  const gzip = "Content-Encoding: gzip";
  const form = "Content-Type: application/x-www-form-urlencoded";
  const badKey = "Idempotency-Key: not visible";
  const cases: [string, string, unknown, string[], number, string][] = [
    ["path before query", "/other?token=x", {}, [right], 404, "not-found"],
    ["path before token", "/hooks//wake", {}, [wrong], 404, "not-found"],
    ["prefix only up to a slash", "/hooksx/wake", {}, [right], 404, "not-found"],
    ["absolute form", "http://x/hooks/wake", {}, [right], 400, "invalid-payload"],
    ["absolute form before token", "http://x/hooks/wake", {}, [wrong], 401, "unauthorized"],
    ["query before token", "/hooks/wake?token=", {}, [wrong], 400, "token-in-query"],
    [
      "query with the right header",
      `/hooks/wake?a=1&TOKEN=${token}`,
      { text: "x" },
      [right],
      400,
      "token-in-query",
    ],
    ["token before name", "/hooks/nothing", {}, [wrong], 401, "unauthorized"],
    ["no token", "/hooks/wake", {}, [], 401, "unauthorized"],
    ["repeated", "/hooks/wake", {}, [right, right], 400, "repeated-header"],
    ["name before body", "/hooks/nothing", big, [right], 404, "unknown-hook"],
    ["names have their case", "/hooks/Wake", { text: "x" }, [right], 404, "unknown-hook"],
    ["base path", "/hooks", {}, [right], 404, "unknown-hook"],
    ["base path with slash", "/hooks/", {}, [right], 404, "unknown-hook"],
    ["size before type", "/hooks/wake", big, [right, form], 413, "body-too-large"],
    ["type before encoding", "/hooks/wake", "{", [right, form, gzip], 415, "unsupported-media-type"],
    ["encoding before JSON", "/hooks/wake", "{", [right, gzip], 415, "unsupported-encoding"],
    ["encoding before key", "/hooks/wake", "{", [right, gzip, badKey], 415, "unsupported-encoding"],
    ["key before JSON", "/hooks/wake", "{", [right, badKey], 400, "invalid-idempotency-key"],
    ["JSON", "/hooks/wake", "{", [right], 400, "invalid-json"],
    ["empty body", "/hooks/wake", "", [right], 400, "invalid-json"],
    ["payload before policy", "/hooks/agent", { agentId: "ops" }, [right], 400, "invalid-payload"],
    [
      "session key first",
      "/hooks/agent",
      { message: "m", sessionKey: "k", agentId: "ops" },
      [right],
      400,
      "session-key-not-allowed",
    ],
    [
      "agent before channel",
      "/hooks/agent",
      { message: "m", agentId: "ops", channel: "fax" },
      [right],
      400,
      "agent-not-allowed",
    ],
  ];
  for (const [name, path, body, headers, status, code] of cases) {
    const response = await hooks.post(path, body, headers);
    assert.deepEqual([response.status, response.json["code"]], [status, code], name);
    assert.equal(response.json["ok"], false, name);
    assert.equal(typeof response.json["error"], "string", name);
    assert.equal("details" in response.json, code === "invalid-payload", name);
  }
  assert.equal(hooks.accepted.length, 0);
});

test("only POST, even without a token, and it counts as no failure", async (context) => {
  const hooks = await startHooks(context, { hooks: { authFailures: { max: 1, windowSeconds: 60 } } });
  for (const method of ["GET", "HEAD", "PUT", "OPTIONS", "PROPFIND"]) {
    const client = hooks.connect();
    client.send(`${method} /hooks/wake HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    if (method === "HEAD") {
      await client.closed;
      continue;
    }
    const response = await client.next();
    assert.deepEqual([response.status, response.headers["allow"]], [405, "POST"], method);
  }
  assert.equal((await hooks.post("/hooks/wake?token=1", {}, [])).status, 400);
  assert.equal((await hooks.post("/hooks/wake", {}, [wrong])).status, 401);
});

test("too many failures are limited, and a right token is still served", async (context) => {
  const hooks = await startHooks(context, { hooks: { authFailures: { max: 2, windowSeconds: 60 } } });
  assert.equal((await hooks.post("/hooks/wake", {}, [])).status, 401);
  assert.equal((await hooks.post("/hooks/wake", { text: "x" })).status, 200);
  assert.equal((await hooks.post("/hooks/wake", {}, [wrong])).status, 401);
  const limited = await hooks.post("/hooks/wake", {}, [wrong]);
  assert.deepEqual([limited.status, limited.json["code"]], [429, "too-many-failures"]);
  assert.match(limited.headers["retry-after"] ?? "", /^(60|59|58)$/);
  assert.equal((await hooks.post("/hooks/wake", { text: "x" })).status, 200);
  assert.equal((await hooks.post("/hooks/wake", {}, [wrong])).status, 429);
});

test("behind a trusted proxy each caller has a count of its own", async (context) => {
  const hooks = await startHooks(context, {
    hooks: { authFailures: { max: 1, windowSeconds: 60 } },
    gateway: { trustedProxies: ["127.0.0.0/8"] },
  });
  const from = (address: string) =>
    hooks.post("/hooks/wake", {}, [wrong, `X-Forwarded-For: 9.9.9.9, ${address}`]);
  assert.deepEqual([(await from("1.1.1.1")).status, (await from("1.1.1.1")).status], [401, 429]);
  assert.equal((await from("1.1.1.2")).status, 401);
});

test("100 Continue comes only once token and name are good", async (context) => {
  const hooks = await startHooks(context);
  const ask = async (path: string, authorization: string) => {
    const client = hooks.connect();
    client.send(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nExpect: 100-continue\r\n${authorization}\r\n\r\n`,
    );
    return { client, response: await client.next() };
  };
  const refused = await ask("/hooks/wake", wrong);
  assert.deepEqual([refused.response.status, refused.response.headers["connection"]], [401, "close"]);
  await refused.client.closed;
  assert.equal((await ask("/hooks/nothing", right)).response.status, 404);
  const welcome = await ask("/hooks/wake", right);
  assert.equal(welcome.response.status, 100);
  welcome.client.send('{"text":"x"}');
  assert.equal((await welcome.client.next()).status, 200);
  welcome.client.send(post("/hooks/wake", { text: "again" }));
  assert.equal((await welcome.client.next()).status, 200);
});

test("idempotency: the key goes to the store with the body's fingerprint", async (context) => {
  const response = { status: 202, body: { ok: true, runId: "first" } };
  const hooks = await startHooks(context, {
    accept: ({ idempotency }) =>
      Promise.resolve(idempotency?.key === "again" ? { kind: "replayed", response } : { kind: "mismatch" }),
  });
  const replayed = await hooks.post("/hooks/agent", { message: "m" }, [right, "Idempotency-Key: again"]);
  assert.deepEqual([replayed.status, replayed.json], [202, response.body]);
  assert.equal(replayed.headers["idempotent-replayed"], "true");
  assert.match(hooks.accepted[0]?.idempotency?.fingerprint ?? "", /^[0-9a-f]{64}$/);
  const mismatch = await hooks.post("/hooks/agent", { message: "m" }, [right, "Idempotency-Key: other"]);
  assert.deepEqual([mismatch.status, mismatch.json["code"]], [422, "idempotency-mismatch"]);
});

test("stopping, a full queue and a store that is away are 503 with Retry-After; a fault is 500", async (context) => {
  let mode = "stopping";
  const hooks = await startHooks(context, {
    stopping: () => mode === "stopping",
    admission: admitsIf(() => mode !== "full"),
    accept: () => Promise.reject(mode === "away" ? new StoreUnavailable("disk") : new Error("secret")),
  });
  const ask = async (path: string, body: unknown, headers?: string[]) => {
    const { status, json, headers: sent } = await hooks.post(path, body, headers);
    return [status, json["code"], sent["retry-after"]];
  };
  assert.deepEqual(await ask("/hooks/wake", {}, [wrong]), [401, "unauthorized", undefined]);
  assert.deepEqual(await ask("/hooks/wake", { text: "x" }), [503, "stopping", "5"]);
  mode = "full";
  assert.deepEqual(await ask("/hooks/agent", { message: "x" }), [503, "queue-full", "30"]);
  mode = "away";
  assert.deepEqual(await ask("/hooks/wake", { text: "x" }), [503, "store-unavailable", "1"]);
  mode = "broken";
  assert.deepEqual(await ask("/hooks/wake", { text: "x" }), [500, "internal-error", undefined]);
  assert.ok(!JSON.stringify(hooks.lines).includes("secret"));
});

test("a full queue still replays repeated requests and reports a key that was used for another body", async (context) => {
  const keyed = [right, "Idempotency-Key: k"];
  for (const [repeated, expected] of [
    [
      { kind: "replayed", response: { status: 202, body: { ok: true, runId: "first" } } },
      [202, undefined, "true"],
    ],
    [{ kind: "mismatch" }, [422, "idempotency-mismatch", undefined]],
    [undefined, [503, "queue-full", undefined]],
  ] as const) {
    const hooks = await startHooks(context, {
      admission: admitsIf(() => false),
      ...(repeated && { repeated }),
    });
    const { status, json, headers } = await hooks.post("/hooks/agent", { message: "x" }, keyed);
    assert.deepEqual([status, json["code"], headers["idempotent-replayed"]], expected);
    assert.deepEqual(hooks.accepted, []);
  }
});

test("a repeated key is replayed, whatever the request would lead to now", async (context) => {
  const response = { status: 202, body: { ok: true, runId: "first" } };
  const hooks = await startHooks(context, { repeated: { kind: "replayed", response } });
  for (const body of [
    "no JSON",
    {},
    { message: "m", channel: "fax" },
    { message: "m", sessionKey: "main" },
  ]) {
    const { status, json } = await hooks.post("/hooks/agent", body, [right, "Idempotency-Key: k"]);
    assert.deepEqual([status, json], [202, response.body], JSON.stringify(body));
  }
  assert.deepEqual(hooks.accepted, []);
});

test("a request is accepted when the recount finds that the queue is not full", async (context) => {
  let isFull = true;
  const admission = { admits: () => !isFull, recount: async () => void (isFull = false) };
  const hooks = await startHooks(context, { admission });
  assert.equal((await hooks.post("/hooks/agent", { message: "x" })).status, 202);
  assert.equal(hooks.accepted.length, 1);
});

test("while hooks are off, their paths are 404", async (context) => {
  const hooks = await startHooks(context, { hooks: { enabled: false, tokens: [] } });
  assert.equal((await hooks.post("/hooks/wake", { text: "x" })).json["code"], "not-found");
});

test("a refusal's log line names a hook of the configuration and the first field, never a value", async (context) => {
  const mappings = mappingsOf([
    { match: { path: "build" }, messageTemplate: "{{ text }}" },
    { match: { source: "any" }, messageTemplate: "m" },
  ]);
  const prepared = await prepareMappings({ ...testConfig().hooks, mappings });
  assert.ok(prepared.ok);
  context.after(() => prepared.mappings.close());
  const hooks = await startHooks(context, { mappings: prepared.mappings });
  await hooks.post("/hooks/agent", { message: "m", timeoutSeconds: "secret", wakeMode: "secret" });
  await hooks.post("/hooks/wake", ["secret"]);
  await hooks.post("/hooks/build", { other: "secret" });
  await hooks.post("/hooks/build", {}, [wrong]);
  await hooks.post("/hooks/secret", { source: "secret" });
  const refusals = hooks.lines.filter(({ message }) => message === "request refused");
  const address = "127.0.0.1";
  assert.deepEqual(
    refusals.map(({ fields }) => fields),
    [
      { address, code: "invalid-payload", hook: "agent", field: "wakeMode", status: 400 },
      { address, code: "invalid-payload", hook: "wake", field: "payload", status: 400 },
      { address, code: "invalid-payload", hook: "build", field: "message", status: 400 },
      { address, code: "unauthorized", hook: "build", status: 401 },
      { address, code: "unknown-hook", status: 404 },
    ],
  );
  assert.doesNotMatch(JSON.stringify(hooks.lines), /secret/);
});

test("a flood of wrong tokens logs few lines, and never a token or payload", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  for (let each = 0; each < 200; each++) {
    client.send(post("/hooks/wake", { text: "private" }, ["Authorization: Bearer guessed"]));
  }
  for (let each = 0; each < 200; each++) assert.ok([401, 429].includes((await client.next()).status));
  assert.ok(hooks.lines.length < 20, String(hooks.lines.length));
  assert.doesNotMatch(JSON.stringify(hooks.lines), /private|guessed/);
});

test("the request of a caller that goes away after its body is stored", async (context) => {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const hooks = await startHooks(context, {
    accept: async () => {
      reached.resolve();
      await gone.promise;
      return { kind: "stored" };
    },
    onStored: () => stored.resolve(),
  });
  const client = hooks.connect();
  client.send(post("/hooks/wake", { text: "x" }));
  await reached.promise;
  client.socket.resetAndDestroy();
  await client.closed;
  gone.resolve();
  await stored.promise;
  assert.equal(hooks.accepted.length, 1);
  assert.equal((await hooks.post("/hooks/wake", { text: "y" })).status, 200);
});
