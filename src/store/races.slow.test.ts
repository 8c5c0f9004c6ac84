// The races of a queue of lanes on a database with concurrent transactions, each played step by step: one transaction
// stops before its commit while the other runs into it.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type pg from "pg";
import { begin, openConnections, play, transact, type Connections } from "../../test/support/transactions.ts";
import { aHeartbeatRequest, anEvent } from "../../test/builders/acceptance.ts";
import { aRun } from "../../test/builders/run.ts";
import { aSettlement } from "../../test/builders/settlement.ts";
import { leaseMs } from "./ports/harness.contract.ts";
import { postgresDialect } from "./driver/dialect.ts";
import { inside, type Program } from "./driver/program.ts";
import { acceptEvents, acceptRuns } from "./programs/accept.ts";
import { insertRuns } from "./programs/enqueue.ts";
import { pauseHook, resumeHook } from "./programs/paused.ts";
import { startRuns } from "./programs/start.ts";
import { requestHeartbeat } from "./programs/heartbeats.ts";
import { toEventRow, toRunRow } from "./programs/rows.ts";
import { cancelRun, claimRuns } from "./programs/runs.ts";
import { settleRuns } from "./programs/settle.ts";

const now = 1_000_000;
const dialect = postgresDialect;
const lane = "hook:lane";

describe("races of the queue", () => {
  let connections: Connections;
  let one: pg.Client;
  let two: pg.Client;
  before(async () => {
    connections = await openConnections();
    ({ one, two } = connections);
  });
  after(() => connections.close());
  beforeEach(() => connections.reset());

  const enqueue = (made = aRun({ sessionKey: lane })) => insertRuns(dialect, { runs: [toRunRow(made)], now });
  const claimOne = () => claimRuns(dialect, { kind: "hook", limit: 10, lease: "lease", leaseMs, now });
  const settle = function* (id: string): Program<boolean | undefined> {
    const settlements = [{ id, lease: "lease", settlement: aSettlement() }];
    return (yield* inside(settleRuns(dialect, { settlements, now })))[0];
  };
  const cancel = (id: string) =>
    cancelRun(dialect, { id, error: "cancelled", summary: null, heartbeat: null, now });
  const wake = () =>
    acceptEvents(dialect, {
      events: [toEventRow(anEvent())],
      requests: [],
      heartbeat: aHeartbeatRequest(),
      asking: ["wake"],
      now: null,
    });
  const statuses = async (): Promise<string[]> =>
    (await connections.observer.query<{ status: string }>("select status from run order by seq")).rows.map(
      ({ status }) => status,
    );
  const countEvents = async (): Promise<number> =>
    (await connections.observer.query("select 1 from event")).rows.length;
  const claimable = async (): Promise<string[]> =>
    (await transact(one, claimOne())).claimed.map((each) => each.id);

  const laneWithRunningHead = async (...waiting: ReturnType<typeof aRun>[]): Promise<string> => {
    const head = aRun({ sessionKey: lane });
    await transact(one, enqueue(head));
    await transact(one, claimOne());
    for (const each of waiting) await transact(one, enqueue(each));
    return head.id;
  };

  test("enqueue first, settle meanwhile: the new run becomes the head", async () => {
    const head = await laneWithRunningHead();
    const late = aRun({ sessionKey: lane });
    await begin(one, enqueue(late));
    const settled = transact(two, settle(head));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await settled, true);
    assert.deepEqual(await claimable(), [late.id]);
  });

  test("settle first, enqueue meanwhile: the new run becomes the head", async () => {
    const head = await laneWithRunningHead();
    const late = aRun({ sessionKey: lane });
    await begin(one, settle(head));
    const enqueued = transact(two, enqueue(late));
    await connections.untilBlocked();
    await one.query("commit");
    await enqueued;
    assert.deepEqual(await claimable(), [late.id]);
  });

  test("settle first, cancel of the promoted run meanwhile: the lane goes on behind it", async () => {
    const [second, third] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    const head = await laneWithRunningHead(second, third);
    await begin(one, settle(head));
    const cancelled = transact(two, cancel(second.id));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await cancelled, "cancelled");
    assert.deepEqual(await claimable(), [third.id]);
  });

  test("cancel first, settle meanwhile: the cancelled run is never promoted", async () => {
    const [second, third] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    const head = await laneWithRunningHead(second, third);
    await begin(one, cancel(second.id));
    const settled = transact(two, settle(head));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await settled, true);
    assert.deepEqual(await claimable(), [third.id]);
  });

  test("two runs that both see an empty lane: one head, the other behind it", async () => {
    const [first, second] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    await begin(one, enqueue(first));
    const enqueued = transact(two, enqueue(second));
    await connections.untilBlocked();
    await one.query("commit");
    await enqueued;
    assert.deepEqual(await claimable(), [first.id]);
    await transact(one, settle(first.id));
    assert.deepEqual(await claimable(), [second.id]);
  });

  test("a hook is resumed while a run is parked because of it: the run is let go", async () => {
    const run = aRun({ hook: "paused" });
    await transact(one, enqueue(run));
    await transact(one, claimOne());
    await transact(one, pauseHook(dialect, { hook: "paused", now }));
    const { id, hook, agentId, sessionKey } = run;
    const start = { id, lease: "lease", hook, agentId, sessionKey, isolated: true, historyCharacters: 0 };
    await begin(one, startRuns(dialect, { starts: [{ ...start, prompt: "do it", budget: null }], now }));
    const resumed = transact(two, resumeHook(dialect, { hook: "paused", now }));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await resumed, 1);
    assert.deepEqual(await statuses(), ["queued"]);
  });

  test("a heartbeat is not claimed while a request that relies on it is not yet committed", async () => {
    const claimBeat = () => claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now });
    await transact(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    assert.deepEqual((await transact(two, claimBeat())).claimed, []);
    await one.query("commit");
    assert.equal((await transact(two, claimBeat())).claimed.length, 1);
  });

  test("a heartbeat claimed meanwhile does not count for a request: another is queued behind it", async () => {
    await transact(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now }));
    const requested = transact(two, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await connections.untilBlocked();
    await one.query("commit");
    await requested;
    assert.deepEqual(await statuses(), ["running", "queued"]);
  });

  test("events in a single statement: a heartbeat claimed meanwhile does not count, another is queued behind it", async () => {
    await transact(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now }));
    const accepted = play(two, wake());
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await accepted, true);
    assert.deepEqual(await statuses(), ["running", "queued"]);
    assert.equal(await countEvents(), 1);
  });

  test("events in a single statement: if another transaction stores a heartbeat meanwhile, nothing is stored and the result is false", async () => {
    await begin(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    const accepted = play(two, wake());
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await accepted, false);
    assert.equal(await countEvents(), 0);
    assert.equal(await play(two, wake()), true);
    assert.deepEqual(await statuses(), ["queued"]);
    assert.equal(await countEvents(), 1);
  });

  test("runs in a single statement: a run whose lane got a head meanwhile is returned, the others are stored", async () => {
    const [first, second, other] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane }), aRun()];
    await begin(one, enqueue(first));
    const accepted = play(
      two,
      acceptRuns(dialect, { runs: [second, other].map(toRunRow), requests: [], now }),
    );
    await connections.untilBlocked();
    await one.query("commit");
    assert.deepEqual(await accepted, [second.id]);
    assert.deepEqual(await claimable(), [first.id, other.id]);
  });

  test("a late settle after a takeover changes nothing", async () => {
    const head = await laneWithRunningHead(aRun({ sessionKey: lane }));
    const later = now + leaseMs;
    await transact(
      two,
      claimRuns(dialect, { kind: "hook", limit: 1, lease: "taken over", leaseMs, now: later }),
    );
    assert.equal(await transact(one, settle(head)), false);
    const { rows } = await connections.observer.query<{ lease: string }>(
      "select lease from run where id = $1 and status = 'running'",
      [head],
    );
    assert.equal(rows[0]?.lease, "taken over");
  });
});
