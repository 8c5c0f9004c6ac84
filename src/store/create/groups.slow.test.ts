// Groups of two nodes that write the same lanes, hooks and targets at the same time: nothing is lost, lanes keep their
// order, and there is no deadlock.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase } from "../../../test/support/postgres.ts";
import { newId } from "../../core/id.ts";
import { plainText } from "../../core/message.ts";
import type { ClaimedRun } from "../../core/run.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { leaseMs } from "../ports/harness.contract.ts";
import { openPostgresStore } from "../postgres/open.ts";
import type { Store } from "../ports/store.ts";

const lanes = 12;
const perLane = 25;
const budget = { runsPerDay: 1_000_000, tokensPerDay: 1_000_000_000, moneyPerDay: null };

async function setUp(t: TestContext) {
  const database = await createDatabase();
  const open = () => openPostgresStore({ url: database.url, migrate: true });
  const nodes = [await open(), await open()];
  const observer = new pg.Client({ connectionString: database.url });
  await observer.connect();
  t.after(async () => {
    await observer.end();
    await database.drop();
  });
  /** PostgreSQL counts the deadlocks of a connection when it closes. */
  const deadlocks = async (): Promise<number> => {
    for (const node of nodes) await node.close();
    const sql = "select deadlocks from pg_stat_database where datname = current_database()";
    return Number((await observer.query<{ deadlocks: string }>(sql)).rows[0]?.deadlocks);
  };
  return { nodes, deadlocks };
}

/** Requests to all lanes at once, each node in an order of its own. */
async function fill(node: Store, at: number): Promise<void> {
  for (let round = 0; round < perLane; round++) {
    const order = Array.from({ length: lanes }, (_, lane) => (at === 0 ? lane : lanes - 1 - lane));
    await Promise.all(
      order.map((lane) =>
        node.accept(
          anAcceptance({
            events: [anEvent()],
            runs: [
              aRun({ sessionKey: `hook:${lane}`, request: aRunRequest({ message: [`${at} ${round}`] }) }),
            ],
            heartbeat: aHeartbeatRequest(),
          }),
        ),
      ),
    );
  }
}

const finish = async (node: Store, claimed: ClaimedRun): Promise<void> => {
  const { id, lease, agentId, sessionKey, hook } = claimed;
  const started = await node.startRun({
    id,
    lease,
    hook,
    agentId,
    sessionKey,
    isolated: false,
    historyCharacters: 1_000_000,
    prompt: hook,
    budget,
  });
  assert.equal(started.kind, "go");
  const used = { inputTokens: 1, outputTokens: 1, cost: 0.5 };
  const ending = { agentId, sessionKey, text: "done", foreignSession: newId(), carried: true };
  const reply = aDelivery({ runId: id, to: String(id.codePointAt(id.length - 1)) });
  const stored = await node.settleRun(
    claimed,
    aSettlement({ summary: anEvent(), used, ending, delivery: reply, heartbeat: aHeartbeatRequest() }),
  );
  assert.equal(stored, true);
};

async function work(node: Store, order: Map<string, number[]>, isDone: () => boolean): Promise<number> {
  let done = 0;
  while (!isDone()) {
    const { claimed } = await node.claimRuns({ kind: "hook", limit: 8, lease: newId(), leaseMs });
    for (const { sessionKey, request } of claimed) {
      const [sender = "", round] = plainText(request.message).split(" ");
      const from = `${sessionKey} of node ${sender}`;
      order.set(from, [...(order.get(from) ?? []), Number(round)]);
    }
    await Promise.all(claimed.map((each) => finish(node, each)));
    done += claimed.length;
  }
  return done;
}

test("two nodes accept, start and settle in groups over the same lanes", async (t) => {
  const { nodes, deadlocks } = await setUp(t);
  const total = nodes.length * lanes * perLane;
  const order = new Map<string, number[]>();
  const claimed = () => [...order.values()].reduce((sum, times) => sum + times.length, 0);
  const [counts] = await Promise.all([
    Promise.all(nodes.map((node) => work(node, order, () => claimed() >= total))),
    Promise.all(nodes.map(fill)),
  ]);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    total,
  );
  const rounds = Array.from({ length: perLane }, (_, round) => round);
  for (const [lane, seen] of order) assert.deepEqual(seen, rounds, lane);
  const [first] = nodes;
  assert.equal(unfinishedRuns(await first!.backlog()), 1, "only the heartbeat waits");
  const [spent] = await first!.listSpending();
  assert.deepEqual([spent?.runs, spent?.inputTokens, spent?.cost], [total, total, total / 2]);
  assert.equal((await first!.listDeliveries({ limit: null })).length, total);
  assert.equal(await deadlocks(), 0);
});

/** An isolated run, from its acceptance to its end. */
async function executeIsolated(node: Store, lease: string): Promise<void> {
  const mine = aRun();
  const start = { ...mine, lease, isolated: true, historyCharacters: 0, prompt: "do it", budget };
  const accepted = await node.accept(anAcceptance({ runs: [mine] }), { start, leaseMs });
  const started = accepted.kind === "stored" ? accepted.started : undefined;
  assert.ok(started);
  const { agentId, sessionKey } = started;
  const used = { inputTokens: 1, outputTokens: 1, cost: 0.5 };
  const ending = { agentId, sessionKey, text: "done", foreignSession: null, carried: true };
  const end = aSettlement({ summary: anEvent(), used, ending, heartbeat: aHeartbeatRequest() });
  assert.equal(await node.settleRun(started, end), true);
}

/** Settles a heartbeat that has shown all waiting events; false when none is queued. */
async function beat(node: Store): Promise<boolean> {
  const { claimed, nextInMs } = await node.claimRuns({
    kind: "heartbeat",
    limit: 1,
    lease: newId(),
    leaseMs,
  });
  for (const each of claimed) {
    const shownEventIds = (await node.waitingEvents("main", 1000)).map(({ id }) => id);
    assert.equal(await node.settleRun(each, aSettlement({ shownEventIds })), true);
  }
  return claimed.length > 0 || nextInMs !== null;
}

test("two nodes start and settle isolated runs in groups, and every summary is read by a heartbeat", async (t) => {
  const { nodes, deadlocks } = await setUp(t);
  const perNode = 300;
  const leases = nodes.map(() => newId());
  let going = true;
  const beats = nodes.map(async (node) => {
    while (going) await beat(node);
  });
  const runs = nodes.map((node, at) =>
    Promise.all(Array.from({ length: perNode }, () => executeIsolated(node, leases[at]!))),
  );
  await Promise.all(runs).finally(() => (going = false));
  await Promise.all(beats);
  const [first] = nodes;
  while (await beat(first!));
  const total = nodes.length * perNode;
  assert.equal((await first!.listEvents({ limit: null })).length, total);
  assert.deepEqual(await first!.waitingEvents("main", 10), []);
  assert.equal(unfinishedRuns(await first!.backlog()), 0);
  const [spent] = await first!.listSpending();
  assert.deepEqual([spent?.runs, spent?.inputTokens, spent?.cost], [total, total, total / 2]);
  assert.equal(await deadlocks(), 0);
});
