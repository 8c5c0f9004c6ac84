// `GET /metrics` of a real gateway: what it counts, and who may read it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startPlatform } from "../fixtures/recording-platform.ts";
import { forEachStore, replying, startTestGateway, type TestGateway, waitFor } from "../support/gateway.ts";

const gatewayToken = "gateway-token-0123456789-abcdef";

async function read(gateway: TestGateway): Promise<Map<string, number>> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(" ")),
      Number(line.slice(line.lastIndexOf(" ") + 1)),
    ]),
  );
}

forEachStore("requests, runs, deliveries and heartbeats are counted", async (t, store) => {
  const platform = await startPlatform({ json: { ok: true, result: { message_id: 1 } } });
  const gateway = await startTestGateway(
    t,
    {
      agents: { list: [replying("main", "Done.")] },
      channels: { telegram: { token: "1:a", to: "5", apiBase: platform.url } },
      hooks: {
        mappings: [
          {
            id: "ci",
            match: { path: "ci", payload: { state: "failed" } },
            messageTemplate: "m",
            deliver: false,
          },
          { id: "rest", match: { source: "any" }, messageTemplate: "m", deliver: false },
        ],
      },
    },
    { store },
  );
  const key = ["Idempotency-Key: one"];
  await gateway.post("agent", { message: "m", channel: "telegram" }, key);
  await gateway.post("agent", { message: "m", channel: "telegram" }, key);
  await gateway.post("agent", { message: 7 });
  await gateway.post("ci", { state: "green" });
  await gateway.post("ci", { state: "failed" });
  await gateway.post("name-of-their-own", { source: "any" });
  await gateway.post("name-of-their-own", { source: "other" });
  await gateway.send({ target: "/hooks/agent", headers: ["Authorization: Bearer wrong"] });
  await gateway.send({ target: "/somewhere-else" });

  const expected: Record<string, number> = {
    'rouse_requests_total{hook="wake",code="accepted"}': 0,
    'rouse_requests_total{hook="agent",code="accepted"}': 1,
    'rouse_requests_total{hook="agent",code="replayed"}': 1,
    'rouse_requests_total{hook="agent",code="invalid-payload"}': 1,
    'rouse_requests_total{hook="agent",code="unauthorized"}': 1,
    'rouse_requests_total{hook="ci",code="skipped"}': 1,
    'rouse_requests_total{hook="ci",code="accepted"}': 1,
    'rouse_requests_total{hook="other",code="accepted"}': 1,
    'rouse_requests_total{hook="other",code="unknown-hook"}': 1,
    'rouse_requests_total{hook="other",code="not-found"}': 1,
    rouse_auth_failures_total: 1,
    rouse_store_group_size_sum: 4,
    rouse_store_seconds_count: 4,
    'rouse_request_seconds_count{result="accepted"}': 5,
    'rouse_request_seconds_count{result="refused"}': 4,
    'rouse_runs_total{hook="agent",agent="main",outcome="succeeded"}': 1,
    'rouse_runs_total{hook="ci",agent="main",outcome="succeeded"}': 1,
    'rouse_runs_total{hook="other",agent="main",outcome="succeeded"}': 1,
    'rouse_run_seconds_count{kind="hook"}': 3,
    rouse_run_wait_seconds_count: 3,
    'rouse_deliveries_total{channel="telegram",outcome="sent"}': 1,
    'rouse_delivery_seconds_count{channel="telegram"}': 1,
    'rouse_deliveries_waiting{channel="telegram"}': 0,
    'rouse_queue_runs{state="queued"}': 0,
    'rouse_queue_runs{state="running"}': 0,
    rouse_queue_oldest_seconds: 0,
    rouse_events_waiting: 0,
    rouse_store_up: 1,
    'rouse_in_hand{kind="run"}': 0,
  };
  const found = await waitFor("all of it to be counted", async () => {
    const all = await read(gateway);
    const differs = Object.entries(expected).filter(([name, value]) => all.get(name) !== value);
    const isBusy = differs.length > 0 || (all.get('rouse_heartbeats_total{outcome="succeeded"}') ?? 0) < 1;
    return isBusy ? null : all;
  }).catch(async () => read(gateway));
  const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, found.get(name)]));
  assert.deepEqual(seen, expected);
  assert.ok((found.get('rouse_heartbeats_total{outcome="succeeded"}') ?? 0) >= 1);
  assert.ok((found.get("rouse_connections") ?? 0) >= 1);
  assert.ok(![...found.keys()].some((name) => name.includes("their-own")));
});

test("behind a proxy it needs the gateway's token, and none but GET and HEAD are served", async (t) => {
  const gateway = await startTestGateway(t, {
    gateway: { auth: { token: gatewayToken }, trustedProxies: ["127.0.0.1"] },
  });
  const ask = async (headers: Record<string, string>, method = "GET") =>
    (await fetch(`${gateway.url}/metrics`, { method, headers })).status;
  const far = { "X-Forwarded-For": "203.0.113.9" };
  assert.equal(await ask({}), 200);
  assert.equal(await ask({}, "HEAD"), 200);
  assert.equal(await ask({}, "DELETE"), 405);
  assert.equal(await ask(far), 401);
  assert.equal(
    await ask({ ...far, Authorization: `Bearer ${gateway.token}` }),
    401,
    "a hook token is another",
  );
  assert.equal(await ask({ ...far, Authorization: `Bearer ${gatewayToken}` }), 200);
  assert.equal(await ask({ ...far, "X-Gateway-Token": gatewayToken }), 200);
});

test("names of a new configuration are known once it is taken up", async (t) => {
  const gateway = await startTestGateway(t, {}, { watchMs: 20 });
  const series = 'rouse_requests_total{hook="ci",code="accepted"}';
  assert.equal((await read(gateway)).get(series), undefined);
  const file = join(gateway.folder, "rouse.jsonc");
  const config = JSON.parse(readFileSync(file, "utf8")) as { hooks: object };
  const mappings = [{ id: "ci", match: { path: "ci" }, messageTemplate: "m", deliver: false }];
  writeFileSync(file, JSON.stringify({ ...config, hooks: { ...config.hooks, mappings } }), { mode: 0o600 });
  await waitFor("the series", async () => (await read(gateway)).get(series) === 0);
  await gateway.post("ci", {});
  assert.equal((await read(gateway)).get(series), 1);
});
