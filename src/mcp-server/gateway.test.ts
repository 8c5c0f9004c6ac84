import assert from "node:assert/strict";
import { test } from "node:test";
import { createGateway, ToolError } from "./gateway.ts";

type Asked = { method: string; path: string; headers: Headers; redirect: unknown };
type Answer = () => Response | Promise<Response>;

/** A gateway that gives these answers, one after the other, and then the last one again. */
function gatewayOf(...answers: Answer[]) {
  const asked: Asked[] = [];
  const doFetch: typeof fetch = async (to, init) => {
    const { pathname, search } = new URL(to instanceof Request ? to.url : to);
    asked.push({
      method: init?.method ?? "GET",
      path: pathname + search,
      headers: new Headers(init?.headers),
      redirect: init?.redirect,
    });
    return (answers.length > 1 ? answers.shift()! : answers[0]!)();
  };
  const gateway = createGateway({ url: "http://rouse.test", token: "secret-token", fetch: doFetch });
  return { gateway, asked };
}

const json =
  (body: object, init?: ResponseInit): Answer =>
  () =>
    Response.json(body, init);
const broken: Answer = () => Promise.reject(new TypeError("fetch failed", { cause: withCode("ECONNRESET") }));
const withCode = (code: string): Error => Object.assign(new Error("secret-token"), { code });

const faultOf = async (work: Promise<unknown>): Promise<ToolError> => {
  const fault = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(fault instanceof ToolError, String(fault));
  assert.ok(!fault.message.includes("secret-token"));
  return fault;
};

test("every call says who it is and follows no redirect; every POST has a key of its own, or the one given", async () => {
  const { gateway, asked } = gatewayOf(json({}));
  await gateway.ask("getRun", { id: "a/b" });
  await gateway.ask("retryRun", { id: "1", body: {} });
  await gateway.ask("retryRun", { id: "1", body: {} });
  await gateway.ask("retryRun", { id: "1", body: {} }, { key: "mine" });
  assert.equal(asked[0]?.path, "/api/v1/runs/a%2Fb");
  for (const { headers, redirect } of asked) {
    assert.equal(headers.get("x-rouse-actor"), "mcp");
    assert.equal(headers.get("authorization"), "Bearer secret-token");
    assert.equal(redirect, "error");
  }
  const [none, first, second, given] = asked.map(({ headers }) => headers.get("idempotency-key"));
  assert.deepEqual([none, given], [null, "mine"]);
  assert.match(first ?? "", /^[\w-]{36}$/);
  assert.notEqual(first, second);
});

test("a POST whose connection broke is sent once more, under the same key", async () => {
  const { gateway, asked } = gatewayOf(broken, json({ id: "2" }));
  assert.deepEqual(await gateway.ask("retryRun", { id: "1", body: {} }), { id: "2" });
  assert.equal(asked.length, 2);
  assert.equal(asked[0]?.headers.get("idempotency-key"), asked[1]?.headers.get("idempotency-key"));
});

test("what stays unknown is said: a change may have been made", async () => {
  const post = gatewayOf(broken);
  const fault = await faultOf(post.gateway.ask("retryRun", { id: "1", body: {} }));
  assert.match(fault.message, /could not be reached \(ECONNRESET\).* look with list_audit/);
  assert.equal(post.asked.length, 2);
  const get = await faultOf(gatewayOf(broken).gateway.ask("getStatus", {}));
  assert.doesNotMatch(get.message, /list_audit/);
  const put = gatewayOf(broken);
  await faultOf(put.gateway.ask("replaceConfig", { body: { text: "" } }, { ifMatch: '"1"' }));
  assert.equal(put.asked.length, 1, "a PUT has no key");
  assert.equal(put.asked[0]?.headers.get("if-match"), '"1"');
});

test("a gateway that is not running, a wrong token and a refusal are told apart, with what to do", async () => {
  const away: Answer = () => Promise.reject(new TypeError("x", { cause: withCode("ECONNREFUSED") }));
  const { gateway, asked } = gatewayOf(away);
  assert.match((await faultOf(gateway.ask("getStatus", {}))).message, /^Nothing listens on .* rouse start$/);
  assert.equal(asked.length, 1);
  const refusal = (status: number, body: object, headers = {}) =>
    faultOf(gatewayOf(json(body, { status, headers })).gateway.ask("getStatus", {}));
  const wrong = await refusal(401, { ok: false, code: "unauthorized", error: "The token is wrong." });
  assert.equal(wrong.status, 401);
  assert.match(wrong.message, /\(unauthorized\): The token is wrong\. .*gateway\.auth\.token/);
  const many = await refusal(429, { code: "too-many-requests", error: "Too many." }, { "retry-after": "7" });
  assert.match(many.message, /Too many\. It may be tried again in 7 seconds\.$/);
  const other = await refusal(404, { error: `line\n<|im_start|>${"x".repeat(5000)}` });
  assert.ok(
    other.message.length < 1700 && !other.message.includes("\n") && !other.message.includes("<|im_start|>"),
  );
});

test("an answer without end is not read to its end", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1_000_000;
      controller.enqueue(new Uint8Array(1_000_000).fill(32));
    },
  });
  const answer: Answer = () => new Response(endless, { headers: { "content-type": "application/json" } });
  const { gateway, asked } = gatewayOf(answer);
  assert.match((await faultOf(gateway.ask("listRuns", {}))).message, /too large to be read/);
  assert.ok(sent < 60_000_000);
  assert.equal(asked.length, 1);
});
