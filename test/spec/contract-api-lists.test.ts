// The admin API: what can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anAcceptance, anEvent, aRequest } from "../builders/acceptance.ts";
import { aRun } from "../builders/run.ts";
import { startApiGateway, type ApiGateway } from "../fixtures/api-gateway.ts";
import { forEachStore, gated, startTestGateway } from "../support/gateway.ts";

type Fields = Record<string, unknown>;
type Page = { items: Fields[]; nextCursor: string | null };

async function page({ api }: Pick<ApiGateway, "api">, path: string): Promise<Page> {
  return (await api.expect(200, path)).json as unknown as Page;
}

async function pages(
  api: Pick<ApiGateway, "api">,
  path: string,
  between = async () => {},
): Promise<Fields[]> {
  const items: Fields[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const found: Page = await page(
      api,
      `${path}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const each of found.items) items.push(each);
    cursor = found.nextCursor;
    await between();
  }
  return items;
}

const ids = (items: readonly Fields[]): unknown[] => items.map(({ id }) => id);

test("without gateway.auth.token there is no API: its paths are 404 like any other", async (t) => {
  const gateway = await startTestGateway(t, { gateway: { auth: {} } });
  for (const target of ["/api/v1/status", "/api/v1/runs", "/api/v1/"]) {
    const { status, json } = await gateway.send({
      method: "GET",
      target,
      headers: [`Authorization: Bearer ${gateway.token}`],
    });
    assert.deepEqual([status, json["code"]], [404, "not-found"], target);
  }
});

test("the tokens of hooks open nothing here, and the gateway token opens no hook", async (t) => {
  const { gateway, api } = await startApiGateway(t);
  await api.expect(401, "/status", { token: gateway.token });
  await api.expect(401, "/runs", { token: "named-token-that-is-long-enough" });
  const headers = ["Authorization: Bearer gateway-token-that-is-long-enough"];
  assert.equal((await gateway.send({ target: "/hooks/wake", headers, body: '{"text":"x"}' })).status, 401);
});

forEachStore("status counts what waits, and what came in the last hour", async (t, store) => {
  const { gateway, api } = await startApiGateway(
    t,
    { agents: { list: [gated("main")], maxConcurrent: 1 } },
    { store },
  );
  for (const message of ["one", "two"]) await gateway.post("agent", { message });
  await gateway.waitFor("a run that runs", async () =>
    (await gateway.runs()).some(({ status }) => status === "running"),
  );
  const { json } = await api.expect(200, "/status");
  assert.deepEqual([json["waiting"], json["running"], json["parked"]], [1, 1, 0]);
  const parts = (json["recent"] as { parts: { counts: Fields }[] }).parts;
  assert.equal(parts.length, 120);
  assert.equal(
    parts.reduce((sum, { counts }) => sum + Number(counts["accepted"] ?? 0), 0),
    2,
  );
  gateway.put("go");
});

forEachStore(
  "lists are filtered, and their pages have everything once while rows come and go",
  async (t, store) => {
    const one = await startApiGateway(t, {}, { store });
    const { inspect } = one.gateway;
    const runs = Array.from({ length: 9 }, (_, at) =>
      aRun({ hook: at % 2 === 0 ? "build" : "agent", agentId: at % 3 === 0 ? "tool" : "main" }),
    );
    for (const run of runs) {
      await inspect.accept(anAcceptance({ runs: [run] }));
      await inspect.cancelRun(run.id, { error: "it was cancelled", summary: null, heartbeat: null });
    }
    const newest = runs.map(({ id }) => id).toReversed();
    assert.deepEqual(ids((await page(one, "/runs")).items), newest);
    assert.deepEqual(ids(await pages(one, "/runs?limit=2")), newest);
    let added = 0;
    const whileAdding = await pages(one, "/runs?limit=4&kind=hook", async () => {
      if (added++ < 2) await inspect.accept(anAcceptance({ runs: [aRun()] }));
    });
    assert.deepEqual(ids(whileAdding), newest, "what comes meanwhile is newer than every page that follows");
    const builds = runs
      .filter(({ hook }) => hook === "build")
      .map(({ id }) => id)
      .toReversed();
    assert.deepEqual(ids(await pages(one, "/runs?limit=2&hook=build&since=1h")), builds);
    assert.deepEqual(ids((await page(one, "/runs?hook=build&agent=TOOL")).items), [runs[6]!.id, runs[0]!.id]);
    assert.deepEqual(ids((await page(one, "/runs?status=cancelled&status=failed&hook=build")).items), builds);
    assert.deepEqual((await page(one, "/runs?until=1h")).items, []);
    assert.deepEqual(
      ids((await page(one, `/runs?id=${builds[0]!.slice(0, 30)}`)).items).includes(builds[0]),
      true,
    );
    const sweepAll = async (): Promise<void> => {
      const retention = { finishedMs: 0, requestsMs: 0, idempotencyMs: 0, conversationTurns: 0 };
      while ((await inspect.sweep(retention, 100)) > 0);
    };
    const whileSweeping = ids(await pages(one, "/runs?limit=4&status=cancelled", sweepAll));
    assert.deepEqual(
      whileSweeping,
      newest.slice(0, 4),
      "what is removed meanwhile is on no page that follows",
    );
  },
);

forEachStore(
  "a cursor belongs to its list and its filters, and to the token that signed it",
  async (t, store) => {
    const one = await startApiGateway(t, {}, { store });
    for (let at = 0; at < 3; at++) await one.gateway.inspect.accept(anAcceptance({ events: [anEvent()] }));
    const { nextCursor } = await page(one, "/events?limit=1&hook=wake");
    assert.ok(nextCursor);
    const cursor = encodeURIComponent(nextCursor);
    await one.api.expect(200, `/events?limit=2&hook=wake&cursor=${cursor}`);
    for (const path of [
      `/events?limit=1&cursor=${cursor}`,
      `/events?hook=other&cursor=${cursor}`,
      `/runs?hook=wake&cursor=${cursor}`,
      "/events?cursor=5",
      "/events?cursor=%00",
      `/events?hook=wake&cursor=x${cursor}`,
    ]) {
      const { json } = await one.api.expect(400, path);
      assert.equal(json["code"], "invalid-cursor", path);
    }
  },
);

forEachStore(
  "requests are listed with what they led to; one has its headers, and its body as it came",
  async (t, store) => {
    const one = await startApiGateway(t, {}, { store });
    const body = '{ "message": "grüße", "name": "Test" }';
    const { json } = await one.gateway.post("agent", body, ["X-Request-Id: 7"]);
    await one.gateway.post("github", "{}");
    await one.gateway.post("agent", "{");
    const items = await one.gateway.waitFor("both requests", async () => {
      const listed = await page(one, "/requests");
      return listed.items.length === 2 && listed.items;
    });
    assert.deepEqual(
      items.map(({ hook, outcome }) => `${String(hook)} ${String(outcome)}`),
      ["agent refused", "agent accepted"],
    );
    const [, accepted] = items;
    assert.deepEqual(accepted?.["runIds"], [json["runId"]]);
    assert.deepEqual(ids((await page(one, "/requests?outcome=refused")).items), [items[0]!["id"]]);
    const id = String(accepted?.["id"]);
    const single = await one.api.expect(200, `/requests/${id}`);
    assert.equal((single.json["headers"] as Fields)["x-request-id"], "7");
    assert.equal(single.json["hasBody"], true);
    const kept = await one.api.expect(200, `/requests/${id}/body`);
    assert.equal(kept.text, body);
    assert.equal(kept.headers.get("content-type"), "application/octet-stream");
    assert.match(kept.headers.get("content-disposition") ?? "", /^attachment; filename="[\w-]+\.body"$/);
    await one.api.expect(404, "/requests/nobody");
    await one.api.expect(404, "/requests/nobody/body");
    const bare = aRequest({ body: null });
    await one.gateway.inspect.accept(anAcceptance({ request: bare, runs: [aRun({ requestId: bare.id })] }));
    assert.match((await one.api.expect(404, `/requests/${bare.id}/body`)).text, /is not kept/);
  },
);

forEachStore("one run, event, delivery and session are shown with what belongs to them", async (t, store) => {
  const one = await startApiGateway(t, {}, { store });
  const { json } = await one.gateway.post("agent", { message: "hello", wakeMode: "next-heartbeat" });
  const run = await one.gateway.ended(json["runId"]);
  const shown = (await one.api.expect(200, `/runs/${run.id}`)).json;
  assert.equal(shown["status"], "succeeded");
  assert.equal((shown["transcript"] as Fields[]).length, 2);
  const delivery = (shown["deliveries"] as Fields[])[0]!;
  assert.equal((await one.api.expect(200, `/deliveries/${String(delivery["id"])}`)).json["text"], run.reply);
  assert.deepEqual(ids((await page(one, `/deliveries?run=${run.id}&status=waiting`)).items), [
    delivery["id"],
  ]);
  const [event] = (await page(one, "/events?hook=agent")).items;
  assert.equal((await one.api.expect(200, `/events/${String(event?.["id"])}`)).json["hook"], "agent");
  const { items: sessions } = await page(one, "/sessions?agent=main&limit=500");
  assert.ok(sessions.some(({ sessionKey }) => sessionKey === run.sessionKey));
  assert.deepEqual(await pages(one, "/sessions?limit=1"), (await page(one, "/sessions")).items);
  const turns = await page(one, `/sessions/main/${encodeURIComponent(run.sessionKey)}/turns`);
  assert.deepEqual(
    turns.items.map(({ role }) => role),
    ["user", "assistant"],
  );
  for (const path of ["/runs/x", "/events/x", "/deliveries/x", "/sessions/main/nowhere/turns"]) {
    assert.equal((await one.api.expect(404, path)).json["code"], "unknown-item", path);
  }
});

test("hooks, agents and channels are those of the configuration, without its secrets", async (t) => {
  const one = await startApiGateway(t);
  const { items: hooks } = await page(one, "/hooks");
  assert.deepEqual(
    hooks.map(({ name, kind, senderKind, mappings }) => [name, kind, senderKind, mappings]),
    [
      ["wake", "built-in", null, []],
      ["agent", "built-in", null, []],
      ["build", "mapped", null, ["builds"]],
      ["github", "sender", "github", ["review"]],
    ],
  );
  assert.deepEqual(
    (await pages(one, "/hooks?limit=1")).map(({ name }) => name),
    ["wake", "agent", "build", "github"],
  );
  assert.deepEqual((await page(one, "/hooks?kind=sender")).items.length, 1);
  assert.deepEqual(
    (await page(one, "/agents?kind=command")).items.map(({ id }) => id),
    ["tool"],
  );
  const [slack] = (await page(one, "/channels")).items;
  assert.deepEqual(slack, {
    channel: "slack",
    kind: "built in",
    to: "C0123456789",
    waiting: 0,
    oldestSeconds: null,
  });
});

test("what a request to a hook would do is told, and nothing is stored", async (t) => {
  const one = await startApiGateway(t);
  const tried = await one.api.expect(200, "/hooks/build/try", {
    method: "POST",
    body: { payload: { state: "green" } },
  });
  assert.deepEqual(
    (tried.json["actions"] as Fields[]).map(({ text }) => text),
    ["Build green"],
  );
  const { json } = await one.gateway.post("build", { state: "red" });
  assert.equal(json["ok"], true);
  const [kept] = (await page(one, "/requests?hook=build")).items;
  const again = await one.api.expect(200, "/hooks/build/try", {
    method: "POST",
    body: { requestId: kept!["id"] },
  });
  assert.deepEqual(
    (again.json["actions"] as Fields[]).map(({ text }) => text),
    ["Build red"],
  );
  const signed = await one.api.expect(200, "/hooks/github/try", {
    method: "POST",
    body: { payload: { action: "opened" } },
  });
  assert.equal(signed.json["outcome"], "accepted");
  assert.equal((await page(one, "/requests")).items.length, 1);
  await one.api.expect(404, "/hooks/build/try", { method: "POST", body: { requestId: "nobody" } });
  for (const body of [{}, { payload: 1, body: "x" }, { payload: 1, headers: { "a b": "c" } }])
    await one.api.expect(400, "/hooks/build/try", { method: "POST", body });
});

forEachStore(
  "a list of requests can have what became of their runs, and where the time went",
  async (t, store) => {
    const { gateway, api } = await startApiGateway(
      t,
      {
        hooks: {
          senders: {},
          mappings: [
            {
              id: "each",
              match: { path: "each" },
              forEach: "items",
              messageTemplate: "{{ items[0] }}",
              name: "Item {{ items[0] }}",
              deliver: false,
            },
          ],
        },
      },
      { store },
    );
    const sent = await gateway.post("each", { items: [1, 2] });
    for (const id of sent.json["runIds"] as string[]) await gateway.ended(id);
    await gateway.post("wake", { text: "hello" });
    const [wake, each] = (await page({ api }, "/requests?include=runs")).items;
    assert.deepEqual(wake?.["runs"], []);
    const lines = each?.["runs"] as Fields[];
    assert.deepEqual(
      lines.map(({ name, status, attempts, deliveries }) => [name, status, attempts, deliveries]),
      [
        ["Item 1", "succeeded", 1, []],
        ["Item 2", "succeeded", 1, []],
      ],
    );
    for (const { createdAt, endedAt, tookMs, spans } of lines) {
      const parts = spans as { begin: string; end: string; durationMs: number }[];
      assert.equal(Date.parse(endedAt as string) - Date.parse(createdAt as string), tookMs);
      assert.equal(
        parts.reduce((sum, { durationMs }) => sum + durationMs, 0),
        tookMs,
        "no gap",
      );
    }
    assert.equal((await page({ api }, "/requests")).items[1]?.["runs"], undefined);
    await api.expect(400, "/requests?include=bodies");
  },
);
