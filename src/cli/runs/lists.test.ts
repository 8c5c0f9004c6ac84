// The lists of stored things: what narrows them, and ids that are not written whole.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  aHeartbeatRequest,
  anAcceptance,
  anEvent,
  anUnusedRequest,
  aRequest,
} from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { createStoredHome, json, type Result } from "../../../test/fixtures/command-line.ts";
import { newId } from "../../core/id.ts";
import { claimNext } from "../../store/ports/harness.contract.ts";

const idsOf = (result: Result): string[] => (json(result) as { id: string }[]).map(({ id }) => id);

/** A request with a run that has failed, one with a run that waits, one with a note, and one that was skipped. */
async function busyHome(t: TestContext) {
  const home = await createStoredHome(t);
  const { store, rouse } = home;
  const accepted = async (hook: string, agentId: string) => {
    const requestId = newId();
    const run = aRun({ hook, agentId, requestId });
    await store.accept(anAcceptance({ hook, runs: [run], request: aRequest({ id: requestId, hook }) }));
    return { requestId, runId: run.id };
  };
  const failed = await accepted("github", "helper");
  const { id, lease, kind } = await claimNext(store);
  const delivery = aDelivery({ runId: id, channel: "slack", status: "failed", error: "gone" });
  const next = { kind: "ended", status: "failed", reply: null, error: "it broke" } as const;
  await store.settleRun({ id, lease, kind }, aSettlement({ next, delivery }));
  const waiting = await accepted("agent", "main");
  const note = anEvent("look", { hook: "wake" });
  const wakeId = newId();
  await store.accept(
    anAcceptance({
      hook: "wake",
      events: [note],
      request: aRequest({ id: wakeId, hook: "wake" }),
      heartbeat: aHeartbeatRequest(),
    }),
  );
  const skipped = anUnusedRequest({}, { hook: "github" });
  await store.recordRequest(skipped);
  const list = async (...argv: string[]) => idsOf(await rouse([...argv, "--json"]));
  return {
    ...home,
    list,
    failed,
    waiting,
    note,
    wakeId,
    deliveryId: delivery.id,
    skippedId: skipped.request.id,
  };
}

test("requests lists all that came in, and is narrowed by hook, outcome, status of runs and time", async (t) => {
  const { list, rouse, failed, waiting, wakeId, skippedId } = await busyHome(t);
  assert.deepEqual(await list("requests"), [skippedId, wakeId, waiting.requestId, failed.requestId]);
  assert.deepEqual(await list("requests", "--hook", "github"), [skippedId, failed.requestId]);
  assert.deepEqual(await list("requests", "--hook", "wake", "--hook", "agent"), [wakeId, waiting.requestId]);
  assert.deepEqual(await list("requests", "--outcome", "skipped"), [skippedId]);
  assert.deepEqual(await list("requests", "--status", "failed", "--status", "queued"), [
    waiting.requestId,
    failed.requestId,
  ]);
  assert.deepEqual((await list("requests", "--since", "1h")).length, 4);
  assert.deepEqual(await list("requests", "--until", "1h"), []);
  const { stdout } = await rouse(["requests"]);
  assert.match(stdout, /^CREATED +OUTCOME +HOOK +TOKEN +LED TO +ID +REASON$/m);
  assert.match(stdout, new RegExp(`accepted +github +- +run +${failed.requestId}$`, "m"));
  assert.match(stdout, new RegExp(`accepted +wake +- +event +${wakeId}$`, "m"));
  assert.match(stdout, new RegExp(`skipped +github +- +- +${skippedId} +nothing to do$`, "m"));
});

test("runs, events, deliveries and sessions are narrowed by what they have", async (t) => {
  const { list, rouse, failed, waiting, note, deliveryId } = await busyHome(t);
  assert.deepEqual(await list("runs", "--status", "failed"), [failed.runId]);
  assert.deepEqual(await list("runs", "--status", "failed", "--status", "queued"), [
    waiting.runId,
    failed.runId,
  ]);
  assert.deepEqual(await list("runs", "--hook", "agent"), [waiting.runId]);
  assert.deepEqual(await list("runs", "--agent", " Helper "), [failed.runId]);
  assert.deepEqual(await list("runs", "--hook", "agent", "--agent", "helper"), []);
  assert.deepEqual(await list("runs", "--since", "1h", "--until", "30m"), []);
  assert.equal((await list("runs", "--kind", "heartbeat")).length, 1);
  assert.deepEqual(await list("events", "--hook", "wake", "--status", "waiting"), [note.id]);
  assert.deepEqual(await list("events", "--status", "shown"), []);
  assert.deepEqual(await list("deliveries", "--status", "failed", "--channel", "slack"), [deliveryId]);
  assert.deepEqual(await list("deliveries", "--status", "sent"), []);
  assert.deepEqual(json(await rouse(["sessions", "--agent", "nobody", "--json"])), []);
  const [run] = json(await rouse(["runs", "--hook", "agent", "--json"])) as { requestId: string }[];
  assert.equal(run?.requestId, waiting.requestId);
});

test("an id may be shortened to its beginning, and last is the newest", async (t) => {
  const { rouse, failed, waiting, note, deliveryId, skippedId, store } = await busyHome(t);
  for (const [argv, id] of [
    [["runs", "show", "last"], waiting.runId],
    [["runs", "show", failed.runId.slice(0, 35)], failed.runId],
    [["runs", "show", failed.runId.toUpperCase()], failed.runId],
    [["events", "show", "last"], note.id],
    [["deliveries", "show", deliveryId.slice(0, 8)], deliveryId],
    [["requests", "show", "last"], skippedId],
  ] as const) {
    const result = await rouse([...argv, "--json"]);
    assert.equal(result.code, 0, result.stderr);
    assert.equal((json(result) as { id: string }).id, id, argv.join(" "));
  }
  const twins = ["0198c0de-0000-7000-8000-00000000000a", "0198c0de-0000-7000-8000-00000000000b"];
  for (const id of twins) await store.accept(anAcceptance({ runs: [aRun({ id })] }));
  const several = await rouse(["runs", "cancel", "0198c0de"]);
  assert.equal(several.code, 1);
  assert.match(several.stderr, /^Several runs have an id that begins with 0198c0de\. Write more of it:$/m);
  for (const id of twins) assert.match(several.stderr, new RegExp(`^ {2}${id} {2}2\\d{3}-`, "m"));
  assert.equal((await rouse(["runs", "cancel", "0198c0de-0000-7000-8000-00000000000b"])).code, 0);
  assert.equal((await store.findRun(twins[1]!))?.status, "cancelled");
  assert.equal((await store.findRun(twins[0]!))?.status, "queued");
  const short = await rouse(["runs", "show", "019"]);
  assert.match(
    short.stderr,
    /^There is no run with the id 019\. .*at least 4 characters, or last\. See: rouse runs$/m,
  );
  const { rouse: empty } = await createStoredHome(t);
  assert.match((await empty(["deliveries", "show", "last"])).stderr, /^There is no delivery yet\.$/m);
});

test("a wrong value of an option is wrong usage that names the allowed ones", async (t) => {
  const { rouse } = await createStoredHome(t);
  for (const [argv, message] of [
    [["runs", "--status", "done"], /--status must be one of queued, .*cancelled, not "done"/],
    [["runs", "--kind", "odd"], /--kind must be hook or heartbeat, not "odd"/],
    [["events", "--status", "seen"], /--status must be waiting or shown, not "seen"/],
    [["deliveries", "--status", "lost"], /--status must be one of waiting, sent, .*not "lost"/],
    [["requests", "--outcome", "ok"], /--outcome must be one of accepted, .*full, not "ok"/],
    [["requests", "--status", "ok"], /--status must be one of queued/],
    [["requests", "--since", "soon"], /--since must be a duration such as 30m/],
    [["sessions", "--until", "soon"], /--until must be a duration/],
    [["runs", "--since", "1h", "--until", "2h"], /--since must be before --until/],
    [["runs", "--until", "2999-01-01"], /--until must not be in the future/],
    [["deliveries", "--hook", "x"], /no option --hook/],
    [["sessions", "--limit", "1", "--all"], /--all and --limit/],
  ] as const) {
    const { code, stderr } = await rouse([...argv]);
    assert.equal(code, 2, `${argv.join(" ")}: ${stderr}`);
    assert.match(stderr, message);
  }
});

test("a list that looks through many rows has all that it asks for", async (t) => {
  const { rouse, store } = await createStoredHome(t);
  const events = Array.from({ length: 6000 }, (_, at) =>
    anEvent("x", { hook: at % 2900 === 3 ? "rare" : "usual" }),
  );
  await store.accept(anAcceptance({ events }));
  const rare = events
    .filter(({ hook }) => hook === "rare")
    .map(({ id }) => id)
    .toReversed();
  assert.deepEqual(idsOf(await rouse(["events", "--hook", "rare", "--json"])), rare);
});
