import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { systemClock } from "../core/clock.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { createClientAddress } from "../http/client-address.ts";
import { createGuard } from "../http/guard.ts";
import { createServer } from "../http/server.ts";
import { createThrottle } from "../http/throttle.ts";
import type { Backlog } from "../core/backlog.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createProcessStats } from "../telemetry/process.ts";
import { createMetricsPage, type MetricsPageOptions } from "./metrics-page.ts";
import { isFromHere } from "../http/local.ts";

const token = "gateway-token-0123456789-abcdef";
const backlog: Backlog = { queued: 7, running: 1, parked: 0, oldestMs: 1500, events: 2, deliveries: [] };

async function serve(t: TestContext, more: Partial<MetricsPageOptions> = {}) {
  const processStats = createProcessStats();
  const page = createMetricsPage({
    access: () => ({ guard: createGuard([token]), clientAddress: createClientAddress(["127.0.0.1"]) }),
    failures: createThrottle({ max: 2, windowSeconds: 60 }, systemClock),
    book: createMetrics(),
    store: { backlog: async () => backlog },
    isStoreUp: async () => true,
    now: () => ({ connections: 1, inHand: { runs: 0, deliveries: 0 } }),
    process: processStats,
    clock: createFakeClock(),
    ...more,
  });
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections: 10,
    requestTimeoutMs: 30_000,
    log: silentLog,
    handle: page.handle,
  });
  const { port } = await server.listen();
  t.after(async () => {
    processStats.stop();
    await server.stop();
  });
  return (headers: Record<string, string> = {}, method = "GET") =>
    fetch(`http://127.0.0.1:${port}/metrics`, { method, headers: { connection: "close", ...headers } });
}

const from = (remoteAddress: string | undefined, rawHeaders = ["Host", "localhost"], httpVersion = "1.1") =>
  isFromHere({ socket: { remoteAddress }, rawHeaders, httpVersion });

test("only a direct request over loopback is local", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    assert.ok(from(address, ["Host", "localhost:4665", "Accept", "Forwarded"]), address);
  for (const address of ["10.0.0.1", "192.168.1.2", "::2", "::ffff:10.0.0.1", "1270.0.1", "", undefined])
    assert.ok(!from(address), address);
  for (const name of ["X-Forwarded-For", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP"])
    assert.ok(!from("127.0.0.1", ["Host", "localhost", name, ""]), name);
  assert.ok(!from("127.0.0.1", ["Host", "localhost"], "1.0"));
});

test("a request for a host of another name is not local", () => {
  for (const host of ["127.0.0.1", "127.0.0.1:4665", "LOCALHOST:1", "[::1]:4665"])
    assert.ok(from("127.0.0.1", ["Host", host]), host);
  for (const host of ["evil.test", "127.0.0.1.evil.test:4665", "localhost.evil.test", "10.0.0.1", "", "["])
    assert.ok(!from("127.0.0.1", ["Host", host]), host);
  assert.ok(!from("127.0.0.1", []));
});

test("a local request needs no token, and HEAD works like GET", async (t) => {
  const ask = await serve(t);
  const response = await ask();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  assert.match(text, /^rouse_queue_runs\{state="queued"\} 7$/m);
  assert.match(text, /^rouse_queue_oldest_seconds 1.5$/m);
  const head = await ask({}, "HEAD");
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.ok(Number(head.headers.get("content-length")) > 1000);
  const post = await ask({}, "POST");
  assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
});

test("a remote request needs the gateway's token, and wrong ones are counted by address", async (t) => {
  const ask = await serve(t);
  const far = { "x-forwarded-for": "203.0.113.9" };
  assert.equal((await ask({ ...far, authorization: `Bearer ${token}` })).status, 200);
  assert.equal((await ask({ ...far, "x-gateway-token": token })).status, 200);
  const statuses: number[] = [];
  for (const tried of [{}, { authorization: "Bearer wrong" }, { authorization: "Bearer wrong" }])
    statuses.push((await ask({ ...far, ...tried })).status);
  assert.deepEqual(statuses, [401, 401, 429]);
  assert.equal((await ask({ "x-forwarded-for": "203.0.113.10" })).status, 401, "another address");
  assert.equal(
    (await ask({ ...far, authorization: `Bearer ${token}` })).status,
    200,
    "the right one is served",
  );
  assert.match(await (await ask()).text(), /^rouse_auth_failures_total 4$/m);
});

test("without a gateway token the page does not exist for remote requests", async (t) => {
  const access = { guard: null, clientAddress: createClientAddress([]) };
  const ask = await serve(t, { access: () => access });
  const far = { "x-forwarded-for": "203.0.113.9" };
  for (const method of ["GET", "POST"]) assert.equal((await ask(far, method)).status, 404);
  assert.equal((await ask()).status, 200);
});

test("the store is read at most once a second", async (t) => {
  const clock = createFakeClock();
  let reads = 0;
  const ask = await serve(t, { clock, store: { backlog: async () => ({ ...backlog, queued: ++reads }) } });
  const queued = async () =>
    /^rouse_queue_runs\{state="queued"\} (\d+)$/m.exec(await (await ask()).text())?.[1];
  assert.deepEqual([await queued(), await queued()], ["1", "1"]);
  await clock.advance(1000);
  assert.equal(await queued(), "2");
});

test("while the store is away, the process's own metrics are still shown", async (t) => {
  const isStoreUp = async () => false;
  const away = await serve(t, {
    isStoreUp,
    store: { backlog: () => Promise.reject(new StoreUnavailable("away")) },
  });
  const text = await (await away()).text();
  assert.match(text, /^rouse_store_up 0$/m);
  assert.doesNotMatch(text, /^rouse_queue_runs\{/m);
  assert.match(text, /^rouse_build_info\{/m);
});

test("a store that does not respond delays the page only for a bounded time", async (t) => {
  const clock = createFakeClock();
  const silent = await serve(t, { clock, store: { backlog: () => new Promise(() => {}) } });
  const asked = silent();
  while (clock.waiting() === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(3000);
  assert.equal((await asked).status, 200);
});
