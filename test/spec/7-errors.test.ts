// Specification, section 7: the statuses of errors, their shape, and which of several faults decides the response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue, type ErrorCode } from "../../src/core/errors.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import { startTestGateway } from "../support/gateway.ts";

const settings = {
  hooks: {
    maxBodyBytes: 1000,
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ["hook:"],
    allowedAgentIds: ["ops"],
    authFailures: { max: 1000 },
  },
  agents: { list: [{ id: "ops" }], defaults: { models: { "a/b": {} } } },
};

type Draft = {
  method: string;
  path: string;
  query: string;
  token: string;
  headers: string[];
  payload: Record<string, unknown>;
  text: (json: string) => string;
};
type Fault = { code: ErrorCode; make(draft: Draft): void };

/** In the order of the contract's ladder. */
const faults: readonly Fault[] = [
  { code: "not-found", make: (draft) => (draft.path = "/elsewhere") },
  { code: "token-in-query", make: (draft) => (draft.query = "?token=x") },
  { code: "method-not-allowed", make: (draft) => (draft.method = "PUT") },
  { code: "unauthorized", make: (draft) => (draft.token = "wrong") },
  {
    code: "unknown-hook",
    make: (draft) => (draft.path = draft.path.replace("/hooks/agent", "/hooks/nobody")),
  },
  { code: "body-too-large", make: (draft) => (draft.payload["padding"] = "x".repeat(2000)) },
  { code: "unsupported-media-type", make: (draft) => draft.headers.push("Content-Type: application/xml") },
  { code: "invalid-idempotency-key", make: (draft) => draft.headers.push("Idempotency-Key: two words") },
  { code: "invalid-json", make: (draft) => (draft.text = (json) => json.slice(0, -1)) },
  { code: "invalid-payload", make: (draft) => (draft.payload["timeoutSeconds"] = "soon") },
  { code: "session-key-prefix", make: (draft) => (draft.payload["sessionKey"] = "other:key") },
  { code: "agent-not-allowed", make: (draft) => (draft.payload["agentId"] = "root") },
  { code: "model-not-allowed", make: (draft) => (draft.payload["model"] = "c/d") },
  { code: "channel-unknown", make: (draft) => (draft.payload["channel"] = "pigeon") },
];

function requestWith(token: string, chosen: readonly Fault[]) {
  const draft: Draft = {
    method: "POST",
    path: "/hooks/agent",
    query: "",
    token,
    headers: [],
    payload: { message: "m" },
    text: (json) => json,
  };
  for (const { make } of chosen) make(draft);
  return {
    method: draft.method,
    target: draft.path + draft.query,
    headers: [`Authorization: Bearer ${draft.token}`, ...draft.headers],
    body: draft.text(JSON.stringify(draft.payload)),
  };
}

function assertError({ status, headers, json }: RawResponse, code: ErrorCode): void {
  assert.deepEqual([json["code"], status], [code, catalogue[code].status]);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(json["ok"], false);
  assert.match(String(json["error"]), /^[A-Z].+\.$/, "one plain sentence");
  const names = code === "invalid-payload" ? ["code", "details", "error", "ok"] : ["code", "error", "ok"];
  assert.deepEqual(Object.keys(json).toSorted(), names, "details only for payloads");
}

test("each fault has its status, its code and the one error shape", async (t) => {
  const gateway = await startTestGateway(t, settings);
  assert.equal((await gateway.send(requestWith(gateway.token, []))).status, 202);
  for (const fault of faults)
    await t.test(fault.code, async () => {
      assertError(await gateway.send(requestWith(gateway.token, [fault])), fault.code);
    });
});

test("of two faults the earlier rung of the ladder responds", async (t) => {
  const gateway = await startTestGateway(t, settings);
  for (const [at, earlier] of faults.entries())
    for (const later of faults.slice(at + 1)) {
      const request = requestWith(gateway.token, [earlier, later]);
      const { json } = await gateway.send(request);
      assert.equal(json["code"], earlier.code, `${earlier.code} before ${later.code}`);
    }
  assert.deepEqual(await gateway.runs(), []);
});

test("400 is for an invalid payload and a token in the query string", async (t) => {
  const gateway = await startTestGateway(t);
  assert.equal((await gateway.post("wake", {})).status, 400);
  assert.equal((await gateway.post("wake", "no json")).status, 400);
  assert.equal((await gateway.post("wake?token=x", { text: "x" })).status, 400);
});

test("the details of a 400 name the field and say what is wrong, without its value", async (t) => {
  const gateway = await startTestGateway(t);
  const response = await gateway.post("agent", { message: "m", wakeMode: "my-secret-mode" });
  assertError(response, "invalid-payload");
  assert.deepEqual(response.json["details"], [
    { path: "wakeMode", message: "must be one of: now, next-heartbeat" },
  ]);
  assert.ok(!response.text.includes("my-secret-mode"));
});

test("405 names the one method that is allowed", async (t) => {
  const gateway = await startTestGateway(t);
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const response = await gateway.send({ method, target: "/hooks/wake" });
    assertError(response, "method-not-allowed");
    assert.equal(response.headers["allow"], "POST");
  }
});

test("a body that is no UTF-8 JSON is 400 invalid-json", async (t) => {
  const gateway = await startTestGateway(t);
  const latin1 = Buffer.from('{"text":"caf\xe9"}', "latin1");
  for (const body of ["", " ", "{", "{'text':'x'}", '{"text":"x"}x', "undefined", latin1])
    assertError(await gateway.post("wake", body), "invalid-json");
});

test("JSON is taken as application/json, any +json, text/plain or no type; anything else is 415", async (t) => {
  const gateway = await startTestGateway(t);
  const send = (headers: readonly string[]) =>
    gateway.send({
      target: "/hooks/wake",
      headers: [`Authorization: Bearer ${gateway.token}`, ...headers],
      body: '{"text":"x","mode":"next-heartbeat"}',
    });
  const good = [
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/cloudevents+json",
    "text/plain",
  ];
  assert.equal((await send([])).status, 200);
  for (const type of good) assert.equal((await send([`Content-Type: ${type}`])).status, 200, type);
  for (const type of ["application/x-www-form-urlencoded", "application/xml", "text/html", "json"])
    assertError(await send([`Content-Type: ${type}`]), "unsupported-media-type");
  for (const encoding of ["gzip", "br", "deflate"])
    assertError(await send([`Content-Encoding: ${encoding}`]), "unsupported-encoding");
});

test("malformed HTTP gets a refusal of the same shape", async (t) => {
  const gateway = await startTestGateway(t);
  assertError(await gateway.raw("nonsense\r\n\r\n").next(), "bad-request");
  const noHost = gateway.raw("POST /hooks/wake HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  assertError(await noHost.next(), "bad-request");
  const twoHosts = gateway.raw(
    "POST /hooks/wake HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
  );
  assertError(await twoHosts.next(), "bad-request");
});
