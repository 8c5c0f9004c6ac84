// The races that a queue of lanes has on a database with concurrent transactions, each played out by hand: one
// transaction stops before its commit while the other runs into it.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { createDatabase } from "../../test/support/postgres.ts";
import { aHeartbeatRequest, anEvent } from "../../test/builders/acceptance.ts";
import { aRun } from "../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../test/builders/settlement.ts";
import { createTestClock, leaseMs } from "./ports/harness.contract.ts";
import { postgresDialect } from "./driver/dialect.ts";
import { inside, rowsFor, statementsOf, type Program, type Row } from "./driver/program.ts";
import { openPostgresStore } from "./postgres/open.ts";
import { toArrays } from "./postgres/arrays.ts";
import { acceptEvents, acceptRuns } from "./programs/accept.ts";
import {
  cancelDelivery,
  claimDeliveries,
  insertDelivery,
  moveDelivery,
  retryDelivery,
  settleDelivery,
} from "./programs/deliveries.ts";
import { insertRuns, requestHeartbeat } from "./programs/enqueue.ts";
import { toEventRow, toRunRow } from "./programs/rows.ts";
import { cancelRun, claimRuns } from "./programs/runs.ts";
import { settleRuns } from "./programs/settle.ts";

const now = 1_000_000;
const dialect = postgresDialect;
const lane = "hook:lane";

describe("races of the queue", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let one: pg.Client;
  let two: pg.Client;
  let observer: pg.Client;

  before(async () => {
    database = await createDatabase();
    await (await openPostgresStore({ url: database.url, clock: createTestClock(), migrate: true })).close();
    [one, two, observer] = [0, 1, 2].map(() => new pg.Client({ connectionString: database.url })) as [
      pg.Client,
      pg.Client,
      pg.Client,
    ];
    for (const client of [one, two, observer]) await client.connect();
  });
  after(async () => {
    for (const client of [one, two, observer]) await client.end();
    await database.drop();
  });
  beforeEach(async () => {
    for (const client of [one, two]) await client.query("rollback");
    await observer.query("truncate run, event, delivery");
  });

  const play = async <T>(client: pg.Client, program: Program<T>): Promise<T> => {
    let step = program.next([]);
    while (!step.done) {
      const answers: Row[][] = [];
      for (const { sql, values, rows: items } of statementsOf(step.value)) {
        const { rows } = await client.query<Row>(sql, [...values, ...(items ? toArrays(items) : [])]);
        answers.push(rows);
      }
      step = program.next(rowsFor(step.value, answers));
    }
    return step.value;
  };
  const begin = async <T>(client: pg.Client, program: Program<T>): Promise<T> => {
    await client.query("begin");
    return play(client, program);
  };
  const whole = async <T>(client: pg.Client, program: Program<T>): Promise<T> => {
    const result = await begin(client, program);
    await client.query("commit");
    return result;
  };
  /** Resolves when a transaction waits for another's lock. */
  const someoneWaits = async (): Promise<void> => {
    for (let looks = 0; looks < 5000; looks++) {
      const { rows } = await observer.query(
        "select 1 from pg_locks join pg_database on pg_database.oid = database or database is null where not granted limit 1",
      );
      if (rows.length > 0) return;
    }
    assert.fail("nobody waited: the two transactions did not meet");
  };

  const enqueue = (made = aRun({ sessionKey: lane })) => insertRuns(dialect, { runs: [toRunRow(made)], now });
  const claimOne = () => claimRuns(dialect, { kind: "hook", limit: 10, lease: "lease", leaseMs, now });
  const settle = function* (id: string): Program<boolean | undefined> {
    const settlements = [{ id, lease: "lease", settlement: aSettlement() }];
    return (yield* inside(settleRuns(dialect, { settlements, now })))[0];
  };
  const cancel = (id: string) =>
    cancelRun(dialect, { id, error: "cancelled", summary: null, heartbeat: null, now });
  const wake = () =>
    acceptEvents(dialect, { events: [toEventRow(anEvent())], heartbeat: aHeartbeatRequest(), now: null });
  const statuses = async (): Promise<string[]> =>
    (await observer.query<{ status: string }>("select status from run order by seq")).rows.map(
      ({ status }) => status,
    );
  const countEvents = async (): Promise<number> => (await observer.query("select 1 from event")).rows.length;
  const claimable = async (): Promise<string[]> =>
    (await whole(one, claimOne())).claimed.map((each) => each.id);

  const laneWithRunningHead = async (...waiting: ReturnType<typeof aRun>[]): Promise<string> => {
    const head = aRun({ sessionKey: lane });
    await whole(one, enqueue(head));
    await whole(one, claimOne());
    for (const each of waiting) await whole(one, enqueue(each));
    return head.id;
  };

  test("enqueue first, settle meanwhile: the new run becomes the head", async () => {
    const head = await laneWithRunningHead();
    const late = aRun({ sessionKey: lane });
    await begin(one, enqueue(late));
    const settled = whole(two, settle(head));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await settled, true);
    assert.deepEqual(await claimable(), [late.id]);
  });

  test("settle first, enqueue meanwhile: the new run becomes the head", async () => {
    const head = await laneWithRunningHead();
    const late = aRun({ sessionKey: lane });
    await begin(one, settle(head));
    const enqueued = whole(two, enqueue(late));
    await someoneWaits();
    await one.query("commit");
    await enqueued;
    assert.deepEqual(await claimable(), [late.id]);
  });

  test("settle first, cancel of the promoted run meanwhile: the lane goes on behind it", async () => {
    const [second, third] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    const head = await laneWithRunningHead(second, third);
    await begin(one, settle(head));
    const cancelled = whole(two, cancel(second.id));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await cancelled, "cancelled");
    assert.deepEqual(await claimable(), [third.id]);
  });

  test("cancel first, settle meanwhile: the cancelled run is never promoted", async () => {
    const [second, third] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    const head = await laneWithRunningHead(second, third);
    await begin(one, cancel(second.id));
    const settled = whole(two, settle(head));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await settled, true);
    assert.deepEqual(await claimable(), [third.id]);
  });

  test("two runs that both see an empty lane: one head, the other behind it", async () => {
    const [first, second] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane })];
    await begin(one, enqueue(first));
    const enqueued = whole(two, enqueue(second));
    await someoneWaits();
    await one.query("commit");
    await enqueued;
    assert.deepEqual(await claimable(), [first.id]);
    await whole(one, settle(first.id));
    assert.deepEqual(await claimable(), [second.id]);
  });

  test("a heartbeat is not claimed while a request that relies on it is not yet committed", async () => {
    const claimBeat = () => claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now });
    await whole(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    assert.deepEqual((await whole(two, claimBeat())).claimed, []);
    await one.query("commit");
    assert.equal((await whole(two, claimBeat())).claimed.length, 1);
  });

  test("a heartbeat claimed meanwhile does not count for a request: one more waits behind it", async () => {
    await whole(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now }));
    const requested = whole(two, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await someoneWaits();
    await one.query("commit");
    await requested;
    assert.deepEqual(await statuses(), ["running", "queued"]);
  });

  test("events in a single statement: a heartbeat claimed meanwhile does not count, one more waits behind it", async () => {
    await whole(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    await begin(one, claimRuns(dialect, { kind: "heartbeat", limit: 1, lease: "lease", leaseMs, now }));
    const accepted = play(two, wake());
    await someoneWaits();
    await one.query("commit");
    assert.equal(await accepted, true);
    assert.deepEqual(await statuses(), ["running", "queued"]);
    assert.equal(await countEvents(), 1);
  });

  test("events in a single statement: one that meets another's heartbeat stores nothing, and says so", async () => {
    await begin(one, requestHeartbeat(dialect, { ...aHeartbeatRequest(), now }));
    const accepted = play(two, wake());
    await someoneWaits();
    await one.query("commit");
    assert.equal(await accepted, false);
    assert.equal(await countEvents(), 0);
    assert.equal(await play(two, wake()), true);
    assert.deepEqual(await statuses(), ["queued"]);
    assert.equal(await countEvents(), 1);
  });

  test("runs in a single statement: the one that met another's head is named, and the others are stored", async () => {
    const [first, second, other] = [aRun({ sessionKey: lane }), aRun({ sessionKey: lane }), aRun()];
    await begin(one, enqueue(first));
    const accepted = play(two, acceptRuns(dialect, { runs: [second, other].map(toRunRow), now }));
    await someoneWaits();
    await one.query("commit");
    assert.deepEqual(await accepted, [second.id]);
    assert.deepEqual(await claimable(), [first.id, other.id]);
  });

  test("a late settle after a takeover changes nothing", async () => {
    const head = await laneWithRunningHead(aRun({ sessionKey: lane }));
    const later = now + leaseMs;
    await whole(
      two,
      claimRuns(dialect, { kind: "hook", limit: 1, lease: "taken over", leaseMs, now: later }),
    );
    assert.equal(await whole(one, settle(head)), false);
    const { rows } = await observer.query<{ lease: string }>(
      "select lease from run where id = $1 and status = 'running'",
      [head],
    );
    assert.equal(rows[0]?.lease, "taken over");
  });

  const put = (made = aDelivery()) => insertDelivery(dialect, made, now);
  const claimNext = (lease = "lease", channel = "telegram") =>
    claimDeliveries(dialect, { channel, limit: 10, lease, leaseMs, now });
  const end = (id: string) =>
    settleDelivery(dialect, {
      id,
      lease: "lease",
      now,
      settlement: aDeliverySettlement(),
    });
  const sendable = async (): Promise<string[]> =>
    (await whole(one, claimNext())).claimed.map((each) => each.id);
  const laneWithClaimedHead = async (...behind: ReturnType<typeof aDelivery>[]): Promise<string> => {
    const head = aDelivery();
    await whole(one, put(head));
    await whole(one, claimNext());
    for (const each of behind) await whole(one, put(each));
    return head.id;
  };

  test("two nodes claim from one lane at the same time: one gets its head, the other nothing", async () => {
    const [first, second] = [aDelivery(), aDelivery()];
    await whole(one, put(first));
    await whole(one, put(second));
    const mine = await begin(one, claimNext("one"));
    const theirs = await whole(two, claimNext("two"));
    await one.query("commit");
    assert.deepEqual([mine.claimed.map(({ id }) => id), theirs.claimed], [[first.id], []]);
    assert.deepEqual((await whole(two, claimNext("two"))).claimed, []);
  });

  test("two deliveries that both see an empty lane: one head, the other behind it", async () => {
    const [first, second] = [aDelivery(), aDelivery()];
    await begin(one, put(first));
    const stored = whole(two, put(second));
    await someoneWaits();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [first.id]);
    await whole(one, end(first.id));
    assert.deepEqual(await sendable(), [second.id]);
  });

  test("a delivery is made first, the head ends meanwhile: the new one becomes the head", async () => {
    const head = await laneWithClaimedHead();
    const late = aDelivery();
    await begin(one, put(late));
    const ended = whole(two, end(head));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await ended, true);
    assert.deepEqual(await sendable(), [late.id]);
  });

  test("the head ends first, a delivery is made meanwhile: the new one becomes the head", async () => {
    const head = await laneWithClaimedHead();
    const late = aDelivery();
    await begin(one, end(head));
    const stored = whole(two, put(late));
    await someoneWaits();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [late.id]);
  });

  test("the head ends first, the next is cancelled meanwhile: the lane goes on behind it", async () => {
    const [second, third] = [aDelivery(), aDelivery()];
    const head = await laneWithClaimedHead(second, third);
    await begin(one, end(head));
    const cancelled = whole(two, cancelDelivery(dialect, { id: second.id, error: "cancelled", now }));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await cancelled, "cancelled");
    assert.deepEqual(await sendable(), [third.id]);
  });

  test("one is retried while another is made for its empty lane: they go one after the other", async () => {
    const [old, young] = [aDelivery({ status: "failed" }), aDelivery()];
    await whole(one, put(old));
    await begin(one, put(young));
    const retried = whole(two, retryDelivery(dialect, { id: old.id, now }));
    await someoneWaits();
    await one.query("commit");
    assert.equal(await retried, "waiting");
    assert.deepEqual(await sendable(), [young.id]);
    await whole(one, end(young.id));
    assert.deepEqual(await sendable(), [old.id]);
  });

  test("one moves while another is made for the same empty lane: they go one after the other", async () => {
    const [moving, made] = [aDelivery({ to: "elsewhere" }), aDelivery()];
    await whole(one, put(moving));
    await whole(one, claimNext());
    const target = { channel: "telegram", to: "12345" };
    await begin(one, moveDelivery(dialect, { id: moving.id, lease: "lease", target, now }));
    const stored = whole(two, put(made));
    await someoneWaits();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [moving.id]);
    await whole(one, end(moving.id));
    assert.deepEqual(await sendable(), [made.id]);
  });
});
