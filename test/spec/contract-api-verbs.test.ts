// The admin API: what operators do, each thing with its entry in the audit.
import assert from "node:assert/strict";
import { anAcceptance, anEvent } from "../builders/acceptance.ts";
import { startApiGateway, type ApiGateway } from "../fixtures/api-gateway.ts";
import { forEachStore, gated, program } from "../support/gateway.ts";

type Fields = Record<string, unknown>;
const post = { method: "POST" };

/** `done run.cancel ID`, oldest first. */
async function auditOf({ api }: ApiGateway): Promise<string[]> {
  const { json } = await api.expect(200, "/audit?limit=500");
  return (json["items"] as Fields[])
    .map(({ outcome, verb, subject }) => `${String(outcome)} ${String(verb)} ${String(subject)}`)
    .toReversed();
}

forEachStore(
  "a run is cancelled while it waits or runs, and repeated once it has ended",
  async (t, store) => {
    const one = await startApiGateway(t, { agents: { list: [gated("main")], maxConcurrent: 1 } }, { store });
    const { gateway, api } = one;
    const first = String((await gateway.post("agent", { message: "a" })).json["runId"]);
    const second = String((await gateway.post("agent", { message: "b" })).json["runId"]);
    await gateway.waitFor(
      "the first to run",
      async () => (await gateway.inspect.findRun(first))?.status === "running",
    );
    assert.deepEqual((await api.expect(200, `/runs/${second}/cancel`, post)).json, {
      id: second,
      result: "cancelled",
    });
    assert.deepEqual((await api.expect(200, `/runs/${first}/cancel`, post)).json, {
      id: first,
      result: "requested",
    });
    assert.equal((await gateway.ended(first)).status, "cancelled");
    gateway.put("go");
    const { json } = await api.expect(409, `/runs/${second}/cancel`, post);
    assert.equal(json["detail"], `Run ${second} has ended already: there is nothing to cancel.`);
    const retried = (await api.expect(200, `/runs/${second}/retry`, post)).json;
    assert.deepEqual([retried["retryOf"], retried["status"]], [second, "queued"]);
    assert.equal((await gateway.ended(retried["id"])).status, "succeeded");
    await api.expect(404, "/runs/nobody/retry", post);
    assert.deepEqual(await auditOf(one), [
      `done run.cancel ${second}`,
      `done run.cancel ${first}`,
      `refused run.cancel ${second}`,
      `done run.retry ${second}`,
      "refused run.retry nobody",
    ]);
  },
);

forEachStore("the same Idempotency-Key repeats a run once, also when both come at once", async (t, store) => {
  const { gateway, api } = await startApiGateway(t, {}, { store });
  const id = String((await gateway.post("agent", { message: "a", deliver: false })).json["runId"]);
  await gateway.ended(id);
  const call = { method: "POST", headers: { "Idempotency-Key": "press" } };
  const answers = await Promise.all([1, 2, 3].map(() => api.expect(200, `/runs/${id}/retry`, call)));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length, 2);
  await api.expect(200, `/runs/${id}/retry`, { method: "POST", headers: { "Idempotency-Key": "another" } });
  assert.equal((await gateway.runs()).length, 3);
  await api.expect(422, `/runs/${id}/cancel`, call);
});

forEachStore("what failed is repeated after a plan, and parked runs are released", async (t, store) => {
  const failing = { agents: { list: [program("main", "process.exit(1)")], maxAttempts: 1 } };
  const one = await startApiGateway(t, { ...failing, hooks: { budget: { runsPerDay: 2 } } }, { store });
  const { gateway, api } = one;
  const ids: unknown[] = [];
  for (const message of ["a", "b", "c"]) ids.push((await gateway.post("agent", { message })).json["runId"]);
  for (const id of ids.slice(0, 2)) assert.equal((await gateway.ended(id)).status, "failed");
  const parked = String(ids[2]);
  await gateway.waitFor(
    "a parked run",
    async () => (await gateway.inspect.findRun(parked))?.status === "parked",
  );
  const body = { since: "1h", hook: "agent" };
  const plan = (await api.expect(200, "/runs/retry?dryRun=true", { ...post, body })).json;
  assert.deepEqual([plan["count"], plan["hooks"], plan["retried"]], [2, { agent: 2 }, undefined]);
  const { json } = await api.expect(200, "/runs/retry", { ...post, body });
  assert.deepEqual(
    (json["retried"] as Fields[]).map(({ retryOf }) => String(retryOf)).toSorted(),
    ids.slice(0, 2).map(String).toSorted(),
  );
  assert.equal((await api.expect(200, "/runs/retry?dryRun=true", { ...post, body })).json["count"], 0);
  await api.expect(400, "/runs/retry", { ...post, body: { since: "soon" } });
  await api.expect(400, "/runs/retry", { ...post, body: {} });
  assert.deepEqual((await api.expect(200, "/runs/release", { ...post, body: { id: parked } })).json, {
    released: 1,
  });
  assert.equal((await gateway.ended(parked)).status, "failed");
  await api.expect(404, "/runs/release", { ...post, body: { id: parked } });
  await api.expect(400, "/runs/release", { ...post, body: { id: "a", hook: "b" } });
  await api.expect(200, "/runs/release", post);
  assert.deepEqual(await auditOf(one), [
    "done run.retry failed since 1h, hook agent",
    "refused run.retry -",
    "refused run.retry -",
    `done run.release ${parked}`,
    `refused run.release ${parked}`,
    "refused run.release -",
    "done run.release all",
  ]);
});

forEachStore(
  "notes are shown again or not at all; deliveries are sent again or not at all",
  async (t, store) => {
    const one = await startApiGateway(t, {}, { store });
    const { gateway, api } = one;
    const event = anEvent();
    await gateway.inspect.accept(anAcceptance({ events: [event] }));
    await api.expect(409, `/events/${event.id}/retry`, post);
    assert.deepEqual((await api.expect(200, `/events/${event.id}/cancel`, post)).json, {
      id: event.id,
      result: "cancelled",
    });
    await api.expect(409, `/events/${event.id}/cancel`, post);
    assert.deepEqual((await api.expect(200, `/events/${event.id}/retry`, post)).json, {
      id: event.id,
      result: "waiting",
    });
    await api.expect(404, "/events/nobody/retry", post);
    const { json } = await gateway.post("agent", { message: "a", wakeMode: "next-heartbeat" });
    await gateway.ended(json["runId"]);
    const [delivery] = await gateway.deliveries(String(json["runId"]));
    assert.deepEqual((await api.expect(200, `/deliveries/${delivery!.id}/cancel`, post)).json, {
      id: delivery!.id,
      result: "cancelled",
    });
    await api.expect(409, `/deliveries/${delivery!.id}/cancel`, post);
    assert.deepEqual((await api.expect(200, `/deliveries/${delivery!.id}/retry`, post)).json, {
      id: delivery!.id,
      status: "waiting",
    });
    await api.expect(409, `/deliveries/${delivery!.id}/retry`, post);
    assert.equal((await auditOf(one)).filter((line) => line.startsWith("done")).length, 4);
  },
);

forEachStore("a paused hook stores its requests, and its runs start once it is resumed", async (t, store) => {
  const one = await startApiGateway(t, {}, { store });
  const { gateway, api } = one;
  assert.deepEqual((await api.expect(200, "/hooks/agent/pause", post)).json, { hook: "agent", paused: true });
  await api.expect(409, "/hooks/agent/pause", post);
  await api.expect(404, "/hooks/nowhere/pause", post);
  const { json } = await gateway.post("agent", { message: "a", deliver: false });
  await gateway.waitFor(
    "a parked run",
    async () => (await gateway.inspect.findRun(String(json["runId"])))?.status === "parked",
  );
  const [listed] = (await api.expect(200, "/hooks?hook=agent")).json["items"] as Fields[];
  assert.equal(typeof listed?.["pausedAt"], "string");
  assert.deepEqual((await api.expect(200, "/hooks/agent/resume", post)).json, {
    hook: "agent",
    paused: false,
    released: 1,
  });
  assert.equal((await gateway.ended(json["runId"])).status, "succeeded");
  await api.expect(409, "/hooks/agent/resume", post);
  assert.deepEqual(await auditOf(one), [
    "done hook.pause agent",
    "refused hook.pause agent",
    "refused hook.pause nowhere",
    "done hook.resume agent",
    "refused hook.resume agent",
  ]);
});

forEachStore("the main session is woken, and its recipient is set", async (t, store) => {
  const one = await startApiGateway(t, {}, { store });
  const { gateway, api } = one;
  await gateway.post("wake", { text: "something", mode: "next-heartbeat" });
  assert.deepEqual((await api.expect(200, "/heartbeat", post)).json, { agentId: "main", requested: true });
  await gateway.waitFor("a heartbeat", async () =>
    (await gateway.runs("heartbeat")).some(({ status }) => status === "succeeded"),
  );
  assert.deepEqual((await api.expect(200, "/session/target")).json, { target: null });
  const target = { channel: "slack", to: "C0000000001" };
  const put = (body: unknown) => ({ method: "PUT", body });
  assert.deepEqual((await api.expect(200, "/session/target", put({ target }))).json, { target });
  assert.match(
    (await api.expect(400, "/session/target", put({ target: { channel: "slak", to: "x" } }))).text,
    /Did you mean slack/,
  );
  await api.expect(400, "/session/target", put({ target: { channel: "slack", to: "no recipient" } }));
  assert.deepEqual(await gateway.inspect.lastTarget(), target);
  assert.deepEqual((await api.expect(200, "/session/target", put({ target: null }))).json, { target: null });
  assert.deepEqual(await auditOf(one), [
    "done heartbeat.request main",
    "done session.target slack",
    "refused session.target slak",
    "refused session.target slack",
    "done session.target none",
  ]);
});

forEachStore("a test message goes to the platform once, and says what came of it", async (t, store) => {
  const one = await startApiGateway(t, {}, { store });
  const { json } = await one.api.expect(200, "/channels/slack/test", post);
  assert.deepEqual(
    [json["channel"], json["to"], json["outcome"], json["sentMessages"]],
    ["slack", "C0123456789", "retry", 0],
  );
  await one.api.expect(404, "/channels/slak/test", post);
  await one.api.expect(409, "/channels/telegram/test", post);
  await one.api.expect(400, "/channels/slack/test", { ...post, body: { to: "no recipient" } });
  assert.equal((await one.gateway.deliveries()).length, 0);
});

forEachStore("a request is replayed, alone or with others of its time, after a plan", async (t, store) => {
  const one = await startApiGateway(t, {}, { store });
  const { gateway, api } = one;
  for (const state of ["red", "green"]) await gateway.post("build", { state });
  const { items } = (await api.expect(200, "/requests?hook=build")).json as { items: Fields[] };
  const id = String(items[1]!["id"]);
  const decided = (await api.expect(200, `/requests/${id}/replay?dryRun=true`, post)).json;
  assert.deepEqual([decided["outcome"], decided["actions"]], ["accepted", [{ action: "wake" }]]);
  const replayed = (
    await api.expect(200, `/requests/${id}/replay`, { ...post, body: { payload: { state: "blue" } } })
  ).json;
  assert.deepEqual([replayed["outcome"], replayed["replayOf"]], ["accepted", id]);
  const [event] = replayed["eventIds"] as string[];
  assert.match((await api.expect(200, `/events/${event!}`)).text, /Build blue/);
  const selection = { since: "1h", hook: ["build"], again: true, perMinute: 60_000 };
  const plan = (await api.expect(200, "/requests/replay?dryRun=true", { ...post, body: selection })).json;
  assert.deepEqual([plan["count"], plan["batch"]], [2, null]);
  const begun = (await api.expect(200, "/requests/replay", { ...post, body: selection })).json;
  const batch = String(begun["batch"]);
  const done = await gateway.waitFor("the end of the replay", async () => {
    const { json } = await api.expect(200, `/replays/${batch}`);
    return json["state"] === "done" && json;
  });
  assert.deepEqual([done["count"], done["done"], done["outcomes"]], [2, 2, { accepted: 2 }]);
  const again = (await api.expect(200, "/requests/replay", { ...post, body: { ...selection, batch } })).json;
  assert.equal(again["batch"], batch);
  await gateway.waitFor("the end of the second replay", async () => {
    const { json } = await api.expect(200, `/replays/${batch}`);
    return json["state"] === "done" && JSON.stringify(json["outcomes"]) === '{"before":2}';
  });
  assert.equal(((await api.expect(200, "/replays")).json["items"] as Fields[]).length, 1);
  await api.expect(404, "/requests/nobody/replay", post);
  await api.expect(404, "/replays/nobody");
  assert.deepEqual(await auditOf(one), [
    `done request.replay ${id}`,
    "done request.replay since 1h, build",
    "done request.replay since 1h, build",
    "refused request.replay nobody",
  ]);
});
