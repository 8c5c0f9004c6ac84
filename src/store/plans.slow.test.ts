// Every statement of the hot path reads through an index: what it costs does not depend on how much is stored.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import pg from "pg";
import { createDatabase } from "../../test/support/postgres.ts";
import { aHeartbeatRequest, anAcceptance, anEvent, aRequest } from "../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../test/builders/settlement.ts";
import { createTestClock, leaseMs } from "./ports/harness.contract.ts";
import { postgresDialect, sqliteDialect, type Dialect } from "./driver/dialect.ts";
import {
  inside,
  rowsFor,
  statementsOf,
  type Transaction,
  type Row,
  type Statement,
  type Value,
} from "./driver/program.ts";
import { sessionSettings } from "./postgres/connection.ts";
import { openPostgresStore } from "./postgres/open.ts";
import { accept, acceptEvents, acceptRuns, packGroup } from "./programs/accept.ts";
import { toAcceptedRow } from "./programs/requests.ts";
import { toClaimedRow, toEventRow, toRunRow } from "./programs/rows.ts";
import { backlog, countWaiting } from "./programs/backlog.ts";
import { startRuns } from "./programs/start.ts";
import { acceptStarted } from "./programs/accept-started.ts";
import { listFailedRuns, repeatFailedRuns } from "./programs/repeat.ts";
import { cancelRun, claimRuns, renewRuns } from "./programs/runs.ts";
import {
  advanceDelivery,
  cancelDelivery,
  claimDeliveries,
  settleDelivery,
  waitingChannels,
} from "./programs/deliveries.ts";
import { countWaitingEvents, waitingEvents } from "./programs/lists.ts";
import { commitMail, unseenMail, waitingMail } from "./programs/mail.ts";
import { longConversations, sweep, sweepConversations } from "./programs/sweep.ts";
import { settleRuns } from "./programs/settle.ts";
import { openSqliteStore } from "./sqlite/open.ts";
import type { AttemptStart } from "../core/attempt.ts";
import { makeFolder } from "../../test/support/folder.ts";

const now = 1_000_000;

const kept = () => toAcceptedRow(anAcceptance({ request: aRequest() }));
const session = { agentId: "main", sessionKey: "hook:a" };
const start = (id: string): AttemptStart => ({
  id,
  lease: "lease",
  hook: "agent",
  ...session,
  isolated: true,
  historyCharacters: 0,
  prompt: "do it",
  budget: { runsPerDay: 1, tokensPerDay: 1, moneyPerDay: null },
});

/** One call of each program on the hot path. */
const hotPath = (dialect: Dialect): Transaction<unknown>[] => [
  accept(dialect, {
    ...packGroup([
      anAcceptance({
        request: aRequest(),
        runs: [aRun({ sessionKey: "hook:a" })],
        events: [anEvent()],
        heartbeat: aHeartbeatRequest(),
      }),
      anAcceptance({ request: aRequest(), runs: [aRun()], idempotency: { key: "k", fingerprint: "f" } }),
    ]),
    now,
    idempotencyMs: 1000,
  }),
  ...[[kept()], [null]].flatMap((requests) => [
    acceptRuns(dialect, { runs: [toRunRow(aRun())], requests, now }),
    acceptRuns(dialect, { runs: [toRunRow(aRun({ sessionKey: "hook:a" }))], requests, now }),
    acceptStarted(dialect, {
      runs: [toClaimedRow(aRun(), "lease")],
      requests,
      starts: [start("a")],
      leaseMs,
      now,
    }),
    acceptEvents(dialect, {
      events: [toEventRow(anEvent())],
      requests,
      heartbeat: aHeartbeatRequest(),
      asking: ["wake"],
      now,
    }),
    acceptEvents(dialect, { events: [toEventRow(anEvent())], requests, heartbeat: null, asking: [], now }),
  ]),
  claimRuns(dialect, { kind: "hook", limit: 4, lease: "lease", leaseMs, now }),
  renewRuns(dialect, { ids: ["a"], lease: "lease", leaseMs, now }),
  startRuns(dialect, { starts: [start("a"), start("b")], now }),
  startRuns(dialect, { starts: [{ ...start("a"), isolated: false }], now }),
  settleRuns(dialect, {
    settlements: [
      {
        id: "a",
        lease: "lease",
        settlement: aSettlement({
          summary: anEvent(),
          delivery: aDelivery(),
          heartbeat: aHeartbeatRequest(),
          shownEventIds: ["e"],
          used: { inputTokens: 1, outputTokens: 1, cost: 0 },
          ending: { ...session, text: "done", foreignSession: "f", carried: false },
        }),
      },
      { id: "b", lease: "lease", settlement: aSettlement({ next: { kind: "released" } }) },
    ],
    now,
  }),
  cancelRun(dialect, { id: "a", error: "x", summary: null, heartbeat: null, now }),
  listFailedRuns(dialect, {
    endedFrom: 1,
    endedUntil: now,
    hook: "agent",
    agentId: null,
    limit: 10,
    after: { endedAt: 2, seq: 3 },
  }),
  repeatFailedRuns(dialect, {
    repeats: [
      { id: "x", newId: "n" },
      { id: "y", newId: "m" },
    ],
    now,
  }),
  claimDeliveries(dialect, { channel: "telegram", limit: 4, lease: "lease", leaseMs, now }),
  settleDelivery(dialect, {
    id: "d",
    lease: "lease",
    settlement: { ...aDeliverySettlement(), fallback: aDelivery() },
    now,
  }),
  waitingChannels(dialect, null),
  advanceDelivery(dialect, { id: "d", lease: "lease", sentMessages: 1, leaseMs, now }),
  cancelDelivery(dialect, { id: "d", error: "x", now }),
  waitingEvents(dialect, { sessionKey: "main", limit: 10, mostBytes: 10 }),
  countWaitingEvents(dialect, null),
  countWaiting(dialect, null),
  backlog(dialect, { now }),
  unseenMail(dialect, { id: "gmail:a", messageIds: ["m"] }),
  waitingMail(dialect, { id: "gmail:a", limit: 10, now }),
  commitMail(dialect, {
    id: "gmail:a",
    lease: "l",
    mails: [{ id: "x", outcome: "skipped", acceptance: null, record: null, retryInMs: null }],
    end: { cursor: "1", status: "ok", error: null, notice: null },
    now,
  }),
  sweep(dialect, { retention, limit: 10, now }),
  longConversations(dialect, { turns: 10, limit: 10 }),
  sweepConversations(dialect, {
    conversations: [{ agentId: "main", sessionKey: "k", oldestCarried: 5 }],
    retention,
    limit: 10,
    now,
  }),
];

const retention = { finishedMs: 1, requestsMs: 1, idempotencyMs: 1, conversationTurns: 1 };

const row: Row = {
  id: "x",
  lane: "lane",
  head: 1,
  status: "queued",
  acceptance_id: null,
  fingerprint: "f",
  answer: "null",
  count: 1,
  ready_at: 1,
  cancel_requested: 0,
  seq: 1,
  request: JSON.stringify(aRunRequest()),
  session_key: "main",
  source: "wake",
  hook: null,
  text: '""',
  created_at: 1,
  shown_at: null,
  run_id: "r",
  channel: "c",
  recipient: null,
  attempts: 1,
  sent_at: null,
  lease: "l",
  error: null,
  sentMessages: 0,
  uncertainSends: 0,
  waiting_since: 1,
  fallback: null,
  name: "telegram",
  value: "1",
};

/** All statements of a program, which gets made-up rows. */
function allOf(transaction: Transaction<unknown>): Statement[] {
  const program = inside(transaction);
  const statements: Statement[] = [];
  const rowsOf = ({ sql, rows }: Statement): Row[] => {
    if (rows) {
      const named = (item: readonly Value[]) =>
        Object.fromEntries(rows.columns.map((column, index) => [column, item[index] ?? null]));
      return rows.items.map((item) => ({ ...row, ...named(item) }));
    }
    if (/started_at is null/.test(sql) && sql.startsWith("select")) return [];
    return [row];
  };
  let step = program.next([]);
  while (!step.done) {
    const yielded = statementsOf(step.value);
    statements.push(...yielded);
    step = program.next(rowsFor(step.value, yielded.map(rowsOf)));
  }
  return statements;
}

describe("plans of the hot path", () => {
  test("sqlite scans no table", async () => {
    const folder = makeFolder("plans");
    const path = join(folder, "plans.db");
    await (await openSqliteStore({ path, clock: createTestClock(), leaseMs })).close();
    const database = new DatabaseSync(path);
    let seen = 0;
    for (const { sql } of hotPath(sqliteDialect).flatMap(allOf)) {
      const plan = database.prepare(`explain query plan ${sql.replaceAll(/\$(\d+)/g, "?$1")}`).all() as {
        detail: string;
      }[];
      for (const { detail } of plan) {
        // A count may read all of a partial index.
        const fine =
          !/^SCAN (run|event|delivery|request|idempotency|turn|mail_account|mail_seen|attempt|audit)\b(?!.* USING (COVERING )?INDEX)/.test(
            detail,
          );
        assert.ok(fine, `${detail}\n${sql}`);
        assert.ok(!/USE TEMP B-TREE/.test(detail), `${detail}\n${sql}`);
      }
      const details = plan.map(({ detail }) => detail).join("\n");
      if (/\(ended_at, seq\) >/.test(sql)) assert.match(details, /SEARCH run USING INDEX run_failed/);
      if (/recursive back/.test(sql)) assert.match(details, /older USING (COVERING )?INDEX turn_history/);
      seen++;
    }
    database.close();
    rmSync(folder, { recursive: true, force: true });
    assert.ok(seen > 15, `only ${seen} statements were looked at`);
  });

  test("postgres reads each from an index", async (t) => {
    const database = await createDatabase();
    await (await openPostgresStore({ url: database.url, clock: createTestClock(), migrate: true })).close();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    t.after(async () => {
      await client.end();
      await database.drop();
    });
    await client.query(sessionSettings);
    for (const [index, { sql }] of hotPath(postgresDialect).flatMap(allOf).entries()) {
      await client.query(`prepare statement_${index} as ${sql}`);
      const count = new Set(sql.match(/\$\d+/g)).size;
      const values = count > 0 ? `(${Array.from({ length: count }, () => "null").join(",")})` : "";
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `explain execute statement_${index}${values}`,
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      // Planned while the table is empty, and kept when it is not.
      if (/exists\(select 1 from (run|delivery) where lane = /.test(sql))
        assert.match(plan, /_lane_head/, plan);
      if (/\(ended_at, seq\) >/.test(sql)) {
        assert.match(plan, /run_failed/, plan);
        assert.doesNotMatch(plan, /Sort/, plan);
      }
      if (/recursive back/.test(sql)) assert.match(plan, /turn_history/, plan);
      if (/order by -seq desc/.test(sql)) assert.match(plan, /_lane_next|event_next/, plan);
      assert.doesNotMatch(
        plan,
        /Seq Scan on (run|event|delivery|request|idempotency|turn|attempt|audit)/,
        `${sql}\n${plan}`,
      );
      // The stored start is looked up for each run; a join would read all starts.
      if (/as started from run/.test(sql)) assert.doesNotMatch(plan, /Bitmap Heap Scan/, plan);
    }
  });
});
