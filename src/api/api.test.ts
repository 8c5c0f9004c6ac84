// The frame of the admin API, around routes of the test's own.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { z } from "zod";
import { gatewayToken, startApiFrame } from "../../test/fixtures/api-frame.ts";
import { settled } from "../../test/fakes/clock.ts";
import { refuse, StoreUnavailable } from "../core/errors.ts";
import { ok, type Route, route } from "./frame/route.ts";

type Fields = Record<string, unknown>;

const read = async (response: Response): Promise<[number, unknown]> => [
  response.status,
  ((await response.json()) as Fields)["code"],
];

/** A write that counts how often it was done, and does what the test wants. */
function counting(work: (times: number) => ReturnType<Route["handle"]>): {
  table: readonly Route[];
  times: () => number;
} {
  let times = 0;
  const write = route({
    id: "write",
    method: "POST",
    path: "/things/{id}/write",
    summary: "",
    params: z.strictObject({ id: z.string().max(5) }),
    query: z.strictObject({ dryRun: z.boolean().default(false) }),
    body: z.strictObject({ value: z.string().optional() }),
    bodyOptional: true,
    audited: { verb: "thing.write", subject: ({ id }) => `thing ${id}`, unless: ({ dryRun }) => dryRun },
    answer: { status: 200, json: z.unknown() },
    handle: () => work(++times),
  });
  return { table: [write], times: () => times };
}

const simple = route({
  id: "read",
  method: "GET",
  path: "/things",
  summary: "",
  query: z.strictObject({
    limit: z.int().max(10).default(5),
    flag: z.boolean().default(false),
    word: z.string().min(1).optional(),
    any: z.array(z.string()).optional(),
  }),
  answer: { status: 200, json: z.unknown() },
  handle: async ({ query }) => ok({ query }),
});

test("parameters are read as their schema says; what is unknown, repeated or wrong is 400 and named", async (t) => {
  const { ask } = await startApiFrame(t, [simple]);
  const good = await ask("/things?limit=7&flag=true&word=5&any=a&any=b");
  assert.deepEqual(await good.json(), { query: { limit: 7, flag: true, word: "5", any: ["a", "b"] } });
  for (const [query, path, message] of [
    ["other=1", "other", "is no parameter here: limit, flag, word, any"],
    ["limit=1&limit=2", "limit", "may stand only once"],
    ["limit=11", "limit", "must be at most 10"],
    ["limit=many", "limit", "must be a number"],
    ["limit=1.5", "limit", "must be a number"],
    ["flag=yes", "flag", "must be true or false"],
    ["word=", "word", "must not be empty"],
    ["__proto__=1", "__proto__", "is no parameter here: limit, flag, word, any"],
  ]) {
    const response = await ask(`/things?${query}`);
    const body = (await response.json()) as Fields;
    assert.deepEqual([response.status, body["code"]], [400, "invalid-parameter"], query);
    assert.deepEqual(body["details"], [{ path, message }], query);
  }
});

test("an error has our fields and those of RFC 9457; nothing is kept by anyone on the way", async (t) => {
  const { ask } = await startApiFrame(t, [simple]);
  const response = await ask("/nothing");
  const detail = "The admin API has no such path. It is described at /api/v1/openapi.json.";
  const { title, ...rest } = (await response.json()) as Fields;
  assert.ok(typeof title === "string");
  assert.deepEqual(rest, {
    ok: false,
    code: "not-found",
    error: detail,
    type: "/docs/errors.md#not-found",
    status: 404,
    detail,
  });
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  for (const each of [response, await ask("/things")]) {
    assert.equal(each.headers.get("cache-control"), "no-store");
    assert.equal(each.headers.get("x-content-type-options"), "nosniff");
    assert.equal(each.headers.get("ratelimit-policy"), '"requests";q=600;w=60');
  }
});

test("another method is 405 and says which are allowed; HEAD is GET without a body", async (t) => {
  const { table } = counting(async () => ok({}));
  const { ask } = await startApiFrame(t, [simple, ...table]);
  const post = await ask("/things", { method: "POST" });
  assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
  const get = await ask("/things/1/write");
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
  const head = await ask("/things", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal(head.headers.get("content-length"), (await ask("/things")).headers.get("content-length"));
});

test("a wrong token is 401, too many are 429, and the right one is served all the same", async (t) => {
  const { ask, failures } = await startApiFrame(t, [simple]);
  assert.deepEqual(await read(await ask("/things", { token: null })), [401, "unauthorized"]);
  assert.deepEqual(
    await read(await ask("/nothing", { token: "wrong" })),
    [401, "unauthorized"],
    "before the path",
  );
  for (let at = 0; at < 2; at++) await ask("/things", { token: "wrong" });
  const limited = await ask("/things", { token: "wrong" });
  assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "7"]);
  assert.equal(failures.length, 5);
  assert.equal((await ask("/things")).status, 200);
  assert.equal(
    (await ask("/things", { token: null, headers: { "x-gateway-token": gatewayToken } })).status,
    200,
  );
});

const statusUnder = (port: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${gatewayToken}` };
    httpRequest({ host: "127.0.0.1", port, path: "/api/v1/things", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

test("only our own host names are served: a page of someone else cannot come through a name of its own", async (t) => {
  const { ask } = await startApiFrame(t, [simple]);
  const { port } = new URL((await ask("/things")).url);
  for (const host of [
    "localhost",
    "LOCALHOST:4665",
    "127.0.0.1:1",
    "127.8.8.8",
    "[::1]:4665",
    "rouse.internal",
    "rouse.internal.:80",
    "API.example.com",
  ])
    assert.equal(await statusUnder(port, host), 200, host);
  for (const host of [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "192.168.1.5",
    "[::2]",
    "api.example.com.evil",
  ])
    assert.equal(await statusUnder(port, host), 421, host);
});

test("600 requests a minute, then 429 until the minute is over", async (t) => {
  const { ask, clock } = await startApiFrame(t, [simple]);
  for (let at = 0; at < 600; at++) await (await ask("/things", { method: "HEAD" })).text();
  const response = await ask("/things");
  assert.deepEqual(await read(response), [429, "too-many-requests"]);
  assert.equal(response.headers.get("retry-after"), "60");
  assert.equal(response.headers.get("ratelimit"), '"requests";r=0;t=60');
  await clock.advance(60_000);
  assert.equal((await ask("/things")).status, 200);
});

test("a read that takes longer than five seconds is 503", async (t) => {
  const stuck = route({ ...simple, path: "/stuck", handle: () => new Promise<never>(() => {}) });
  const { ask, clock } = await startApiFrame(t, [stuck]);
  const asking = ask("/stuck");
  while (clock.waiting() === 0) await settled();
  await clock.advance(5_000);
  assert.deepEqual(await read(await asking), [503, "too-slow"]);
});

test("a body is JSON of up to a megabyte; its faults are named", async (t) => {
  const { table, times } = counting(async () => ok({}));
  const { ask } = await startApiFrame(t, table);
  const send = async (body: string, type: string | null = "application/json") =>
    ask("/things/1/write", { method: "POST", body, headers: type === null ? {} : { "content-type": type } });
  assert.deepEqual(await read(await send("{")), [400, "invalid-json"]);
  assert.deepEqual(await read(await send('{"value":"x"}', "text/plain")), [415, "unsupported-media-type"]);
  assert.deepEqual(await read(await send(JSON.stringify({ value: "x".repeat(1_048_576) }))), [
    413,
    "body-too-large",
  ]);
  const wrong = (await (await send('{"value":5,"other":1}')).json()) as Fields;
  assert.deepEqual(wrong["details"], [
    { path: "value", message: "must be text" },
    { path: "other", message: "is no field here" },
  ]);
  assert.equal(times(), 0);
  assert.equal((await send('{"value":"x"}', "application/merge-patch+json; charset=utf-8")).status, 200);
  assert.equal((await ask("/things/1/write", { method: "POST" })).status, 200);
});

test("every write is in the audit, whatever came of it; reads and dry runs are not", async (t) => {
  const ends = [
    async () => ok({}),
    async () => refuse("conflict"),
    async () => Promise.reject(new Error("a fault")),
  ];
  const { table } = counting((times) => ends[times - 1]!());
  const { ask, audit } = await startApiFrame(t, [simple, ...table]);
  const statuses: number[] = [];
  for (const path of ["/things/1/write", "/things/1/write", "/things/1/write", "/things/toolong/write"])
    statuses.push((await ask(path, { method: "POST" })).status);
  assert.deepEqual(statuses, [200, 409, 500, 400]);
  ends.push(async () => ok({}));
  await ask("/things/1/write?dryRun=true", { method: "POST" });
  await ask("/things");
  const entry = (outcome: string, subject = "thing 1") => ({
    actor: "token",
    verb: "thing.write",
    subject,
    outcome,
  });
  assert.deepEqual(audit, [entry("done"), entry("refused"), entry("failed"), entry("refused", "toolong")]);
});

const withKey = (key: string, body?: object) => ({
  method: "POST",
  headers: { "idempotency-key": key, "content-type": "application/json" },
  body: JSON.stringify(body ?? {}),
});

test("the same Idempotency-Key gives the first response, also a refusal, and does nothing twice", async (t) => {
  const { table, times } = counting(async (done) => (done === 1 ? ok({ done }) : refuse("conflict")));
  const { ask, audit } = await startApiFrame(t, table);
  const [first, twin] = await Promise.all([
    ask("/things/1/write", withKey("a")),
    ask("/things/1/write", withKey("a")),
  ]);
  assert.deepEqual([await first.json(), await twin.json()], [{ done: 1 }, { done: 1 }]);
  assert.deepEqual(
    [first, twin].map(({ headers }) => headers.get("idempotent-replayed")),
    [null, "true"],
  );
  assert.deepEqual([times(), audit.length], [1, 1]);
  assert.deepEqual(await read(await ask("/things/1/write", withKey("a", { value: "x" }))), [
    422,
    "idempotency-mismatch",
  ]);
  assert.deepEqual(await read(await ask("/things/2/write", withKey("a"))), [422, "idempotency-mismatch"]);
  const refused = await ask("/things/1/write", withKey("b"));
  const again = await ask("/things/1/write", withKey("b"));
  assert.equal(again.headers.get("content-type"), "application/problem+json");
  assert.deepEqual([again.status, await again.text()], [refused.status, await refused.text()]);
  assert.equal(times(), 2);
  assert.deepEqual(await read(await ask("/things/1/write", withKey("x".repeat(256)))), [
    400,
    "invalid-idempotency-key",
  ]);
});

test("what failed because the store was away can be tried again with the same key", async (t) => {
  const { table, times } = counting((done) =>
    done === 1 ? Promise.reject(new StoreUnavailable("away")) : Promise.resolve(ok({ done })),
  );
  const { ask } = await startApiFrame(t, table);
  assert.deepEqual(await read(await ask("/things/1/write", withKey("a"))), [503, "store-unavailable"]);
  assert.deepEqual(await (await ask("/things/1/write", withKey("a"))).json(), { done: 2 });
  assert.deepEqual(await (await ask("/things/1/write", withKey("a"))).json(), { done: 2 });
  assert.equal(times(), 2);
});

test("a key whose response was never stored says that nobody knows, and nothing is done again", async (t) => {
  const lost = { now: (): void => {} };
  const { table, times } = counting(async (done) => {
    lost.now();
    return ok({ done });
  });
  const { ask, storeFault } = await startApiFrame(t, table);
  lost.now = () => void (storeFault.now = new StoreUnavailable("away"));
  assert.deepEqual(await read(await ask("/things/1/write", withKey("a"))), [503, "store-unavailable"]);
  storeFault.now = null;
  assert.deepEqual(await read(await ask("/things/1/write", withKey("a"))), [409, "outcome-unknown"]);
  assert.equal(times(), 1);
});

test("while the gateway stops, it is 503", async (t) => {
  const { ask, isStopping } = await startApiFrame(t, [simple]);
  isStopping.now = true;
  assert.deepEqual(await read(await ask("/things")), [503, "stopping"]);
});

test("a caller with the token may call itself mcp in the audit; any other name changes nothing", async (t) => {
  const { table } = counting(async () => ok({}));
  const { ask, audit } = await startApiFrame(t, table);
  const write = (headers: Record<string, string>, token?: string) =>
    ask("/things/1/write", { method: "POST", headers, ...(token !== undefined && { token }) });
  await write({ "x-rouse-actor": "mcp" });
  for (const name of ["session 1", "cli", "MCP", ""]) await write({ "x-rouse-actor": name });
  assert.deepEqual(
    audit.map(({ actor }) => actor),
    ["mcp", "token", "token", "token", "token"],
  );
  assert.equal((await write({ "x-rouse-actor": "mcp" }, "wrong")).status, 401);
});
