// Searches over tables of tens of thousands of rows: no statement reads more than a page may look at, whatever is
// asked for. PostgreSQL plans each statement while its tables are empty, and keeps that plan.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import pg from "pg";
import { makeFolder } from "../../test/support/folder.ts";
import { createDatabase } from "../../test/support/postgres.ts";
import { aRunRequest } from "../../test/builders/run.ts";
import { postgresDialect, sqliteDialect, type Dialect } from "./driver/dialect.ts";
import {
  inside,
  rowsFor,
  statementsOf,
  type Row,
  type Statement,
  type Transaction,
} from "./driver/program.ts";
import { createTestClock, leaseMs } from "./ports/harness.contract.ts";
import { sessionSettings } from "./postgres/connection.ts";
import { openPostgresStore } from "./postgres/open.ts";
import {
  findEvents,
  findRuns,
  listReplays,
  newestId,
  outcomesPerHalfMinute,
  resolveId,
  runBehind,
  sameReason,
  searchSessions,
} from "./programs/find.ts";
import { searchAudit } from "./programs/audit.ts";
import { searchDeliveries, searchEvents, searchRequests, searchRuns } from "./programs/searches.ts";
import { openSqliteStore } from "./sqlite/open.ts";

const rowCount = 30_000;
/** A row a second. */
const firstAt = 1_700_000_000_000;
const lastAt = firstAt + rowCount * 1000;
/** A few rows each of several steps; a step that reads a table has all of it. */
const mostRead = 3 * 2001;

const idOf = (at: number): string =>
  `0198${String(at).padStart(4, "0").slice(-4)}-0000-7000-8000-${String(at).padStart(12, "0")}`;

/** Every search, each alone and with others. `before` is in the middle. */
function searches(dialect: Dialect): Record<string, Transaction<unknown>> {
  const all: Record<string, Transaction<unknown>> = {
    "sameReason rare": sameReason(dialect, {
      hook: "github",
      outcome: "failed",
      reason: "none",
      besides: null,
    }),
    outcomesPerHalfMinute: outcomesPerHalfMinute(dialect, { now: lastAt }),
    findRuns: findRuns(dialect, { ids: [idOf(5), idOf(6)] }),
    findEvents: findEvents(dialect, { ids: [idOf(5)] }),
    audit: searchAudit(dialect, { limit: 50, before: null, verbs: ["none"] }),
    "audit of a time": searchAudit(dialect, {
      limit: 50,
      before: null,
      since: firstAt + 9_000_000,
      until: firstAt + 9_100_000,
    }),
    listReplays: listReplays(dialect, { id: idOf(5) }),
    runBehind: runBehind(dialect, { id: idOf(29_999) }),
    sessions: searchSessions(dialect, { limit: 50, before: null }),
    "sessions of an agent": searchSessions(dialect, { limit: 50, before: null, agents: ["nobody"] }),
    "sessions in the middle": searchSessions(dialect, {
      limit: 50,
      before: { lastAt: firstAt + 9_000_000, agentId: "main", sessionKey: "k" },
      since: firstAt,
      until: lastAt,
    }),
  };
  for (const table of ["request", "run", "event", "delivery"] as const) {
    all[`newest ${table}`] = newestId(dialect, { table });
    all[`resolve ${table}`] = resolveId(dialect, { table, written: "0198", prefix: "0198" });
  }
  const time = { since: firstAt + 9_000_000, until: firstAt + 9_100_000 };
  for (const [position, before] of [
    ["", null],
    [" in the middle", 15_000],
  ] as const)
    for (const [name, { id = "", ...more }] of Object.entries(filters)) {
      const common = { limit: 50, before, ...(id && { id }) };
      const add = (
        what: string,
        search: (page: typeof common & Partial<typeof time>) => Transaction<unknown>,
      ) => {
        all[`${what} by ${name}${position}`] = search(common);
        if (before === null) all[`${what} by ${name} and time`] = search({ ...common, ...time });
      };
      if (!("sessions" in more || "channels" in more || "kinds" in more))
        add("requests", (page) => searchRequests(dialect, { ...page, ...more }));
      if (!("channels" in more || "outcomes" in more || "reason" in more))
        add("runs", (page) => searchRuns(dialect, { ...page, ...more }));
      if (Object.keys(more).every((key) => key === "hooks"))
        add("events", (page) => searchEvents(dialect, { ...page, ...more }));
      if (Object.keys(more).every((key) => ["statuses", "channels", "runId"].includes(key)))
        add("deliveries", (page) => searchDeliveries(dialect, { ...page, ...more }));
    }
  for (const status of ["waiting", "shown"]) {
    all[`${status} events`] = searchEvents(dialect, { limit: 50, before: null, statuses: [status] });
    all[`${status} events of a hook`] = searchEvents(dialect, {
      limit: 50,
      before: null,
      statuses: [status],
      hooks: ["rare"],
    });
  }
  return all;
}

const filters: Record<string, { id?: string } & Record<string, unknown>> = {
  nothing: {},
  "a long prefix": { id: idOf(77).slice(0, 30) },
  "a short prefix": { id: "0198" },
  "a usual hook": { hooks: ["github"] },
  "a rare hook": { hooks: ["rare"] },
  "several hooks": { hooks: ["rare", "none", "github"] },
  "an outcome": { outcomes: ["failed"] },
  accepted: { outcomes: ["accepted", "failed"] },
  "hook and outcome": { hooks: ["github"], outcomes: ["refused"] },
  "a reason": { reason: "none" },
  "outcome and reason": { outcomes: ["failed"], reason: "none" },
  succeeded: { statuses: ["succeeded"] },
  failed: { statuses: ["failed"] },
  "failed and hook": { statuses: ["failed", "timed-out"], hooks: ["rare"] },
  "statuses without an index": { statuses: ["succeeded", "failed"], hooks: ["rare"] },
  queued: { statuses: ["queued"] },
  "queued and parked": { statuses: ["queued", "parked"] },
  running: { statuses: ["running"] },
  agent: { agents: ["nobody"] },
  session: { sessions: ["hook:none"] },
  error: { error: "none" },
  kind: { kinds: ["heartbeat"] },
  waiting: { statuses: ["waiting"] },
  unknown: { statuses: ["unknown", "failed"] },
  "waiting and unknown": { statuses: ["unknown", "waiting"], channels: ["slack"] },
  sent: { statuses: ["sent"] },
  channel: { channels: ["slack"] },
  "a run": { runId: idOf(6) },
};

const madeUp: Row = {
  seq: 9000,
  id: "x",
  request_id: "r",
  created_at: 1,
  count: 1,
  hook: "github",
  outcome: "failed",
  reason: '"x"',
  status: "failed",
  part: 1,
  oldest: 1,
  session_key: "main",
  agent_id: "main",
  last_at: 1,
  turns: 1,
  text: '""',
  lane: "run:x",
  request: JSON.stringify(aRunRequest()),
};

/** Plays a program, and returns its statements. */
async function play(
  transaction: Transaction<unknown>,
  rowsOf: (statement: Statement) => Promise<Row[]> | Row[],
): Promise<void> {
  const program = inside(transaction);
  let step = program.next([]);
  while (!step.done) {
    const results: Row[][] = [];
    for (const statement of statementsOf(step.value)) results.push(await rowsOf(statement));
    step = program.next(rowsFor(step.value, results));
  }
}

const series: Record<Dialect["name"], string> = {
  sqlite: `(with recursive n(at) as (select 1 union all select at + 1 from n where at < ${rowCount}) select at from n)`,
  postgres: `(select at from generate_series(1, ${rowCount}) as n(at))`,
};

/** One in 3,000 requests is of a rare hook, one in 100 runs has failed, and ten are queued in one lane. */
function filling(dialect: Dialect): string[] {
  const padded = (width: number) =>
    dialect.name === "sqlite" ? `printf('%0${width}d', at)` : `lpad(at::text, ${width}, '0')`;
  const id = `'0198' || substr(${padded(12)}, 9, 4) || '-0000-7000-8000-' || ${padded(12)}`;
  const from = `from ${series[dialect.name]} as rows`;
  const hook = "case when at % 3000 = 0 then 'rare' else 'github' end";
  const time = `${firstAt} + at * 1000`;
  const request = JSON.stringify(aRunRequest());
  return [
    `insert into request(id, hook, outcome, reason, created_at) select ${id}, ${hook},
      case when at % 50 = 0 then 'failed' when at % 7 = 0 then 'refused' else 'accepted' end, '""', ${time} ${from}`,
    `insert into run(id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, started_at, ended_at, request, request_id)
      select ${id}, 'hook', ${hook}, 'main', 'hook:a', 'session:a', 0,
        case when at > ${rowCount - 10} then 'queued' when at % 100 = 0 then 'failed' else 'succeeded' end,
        ${time}, ${time}, ${time}, case when at > ${rowCount - 10} then null else ${time} end, '${request}', ${id} ${from}`,
    `update run set head = 1 where id = '${idOf(rowCount - 9)}'`,
    `insert into event(id, session_key, source, hook, text, created_at, shown_at)
      select ${id}, 'main', 'wake', ${hook}, '""', ${time}, case when at > 5 then ${time} end ${from}`,
    `insert into delivery(id, run_id, channel, text, status, created_at, ready_at, head, lane)
      select ${id}, ${id}, 'telegram', '""', case when at % 100 = 0 then 'failed' when at > ${rowCount - 3} then 'waiting' else 'sent' end,
        ${time}, ${time}, 0, 'lane' ${from}`,
    `insert into audit(id, actor, verb, subject, outcome, created_at)
      select ${id}, 'cli', 'run.retry', '""', 'done', ${time} ${from}`,
    `insert into session(agent_id, session_key, last_at) select 'main', ${id}, ${time} ${from}`,
  ];
}

type Plan = {
  "Node Type": string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

const readBy = (plan: Plan): number =>
  (plan.Plans ?? []).reduce((sum, each) => sum + readBy(each), 0) +
  (/Scan/.test(plan["Node Type"]) && !/CTE|Function|Subquery|Values/.test(plan["Node Type"])
    ? ((plan["Actual Rows"] ?? 0) +
        (plan["Rows Removed by Filter"] ?? 0) +
        (plan["Rows Removed by Index Recheck"] ?? 0)) *
      (plan["Actual Loops"] ?? 1)
    : 0);

describe("what searches read", () => {
  test("postgres reads no more rows than a page may look at, by plans made for empty tables", async (t) => {
    const database = await createDatabase();
    await (await openPostgresStore({ url: database.url, clock: createTestClock(), migrate: true })).close();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    t.after(async () => {
      await client.end();
      await database.drop();
    });
    await client.query(sessionSettings);
    const names = new Map<string, string>();
    const nameOf = async (sql: string): Promise<string> => {
      const known = names.get(sql);
      if (known) return known;
      const name = `search_${names.size}`;
      names.set(sql, name);
      await client.query(`prepare ${name} as ${sql}`);
      return name;
    };
    const literalsOf = ({ values, rows }: Statement): string => {
      const arrays = (rows?.columns ?? []).map((_, at) => rows!.items.map((item) => item[at]!));
      const literals = [
        ...values.map((value) => (value === null ? "null" : client.escapeLiteral(String(value)))),
        ...arrays.map(
          (array) => `array[${array.map((each) => client.escapeLiteral(String(each))).join(",")}]::text[]`,
        ),
      ];
      return literals.length === 0 ? "" : `(${literals.join(", ")})`;
    };
    for (const program of Object.values(searches(postgresDialect)))
      await play(program, async (statement) => {
        await client.query(`explain execute ${await nameOf(statement.sql)}${literalsOf(statement)}`);
        return [madeUp];
      });
    for (const sql of filling(postgresDialect)) await client.query(sql);
    for (const [name, program] of Object.entries(searches(postgresDialect)))
      await play(program, async (statement) => {
        const call = `execute ${await nameOf(statement.sql)}${literalsOf(statement)}`;
        const { rows } = await client.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
          `explain (analyze, format json) ${call}`,
        );
        const plan = rows[0]!["QUERY PLAN"][0]!.Plan;
        const read = readBy(plan);
        const most = name === "outcomesPerHalfMinute" ? 3600 + 2 * 120 : mostRead;
        assert.ok(
          read <= most,
          `${name} reads ${read} rows\n${statement.sql}\n${JSON.stringify(plan, null, 1)}`,
        );
        return (await client.query<Record<string, string | number | null>>(call)).rows;
      });
  });

  test("sqlite reaches each row by an index or a range of the key", async () => {
    const folder = makeFolder("searches");
    const path = join(folder, "rouse.db");
    await (await openSqliteStore({ path, clock: createTestClock(), leaseMs })).close();
    const database = new DatabaseSync(path);
    for (const sql of filling(sqliteDialect)) database.exec(sql);
    for (const [name, program] of Object.entries(searches(sqliteDialect)))
      await play(program, ({ sql, values, rows }) => {
        const text = sql.replaceAll(/\$(\d+)/g, "?$1");
        const plan = (database.prepare(`explain query plan ${text}`).all() as { detail: string }[])
          .map(({ detail }) => detail)
          .filter((detail) =>
            /^(SCAN|SEARCH) (run|request|event|delivery|audit|session|waiting)\b/.test(detail),
          );
        for (const detail of plan)
          assert.ok(isBounded(detail) || isNewest(sql), `${name}: ${detail}\n${sql}`);
        const statement = database.prepare(text);
        const items = rows ? rows.items : [[]];
        return items.flatMap((item) => statement.all(...values, ...item) as Row[]);
      });
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Found by equality, or in a range of seqs, ids or times; or a scan of what the statement limits. */
const isBounded = (detail: string): boolean =>
  /INTEGER PRIMARY KEY \(rowid[=>]|INTEGER PRIMARY KEY \(rowid<\?\)|_marks|\(id=\?\)|\(id>\? AND id<\?\)|<expr>>\? AND <expr><\?|\(outcome=\?\)|\(replay_of=\?\)|\(lane=\?\)|\(run_id=\?\)|request_recent|session_last|run_heartbeats/.test(
    detail,
  ) ||
  /^(SCAN|SEARCH) (run|event|delivery) USING (COVERING )?INDEX (run_heads|run_lane_next|run_taken|event_next|delivery_waiting)/.test(
    detail,
  );

/** The end of the key. */
const isNewest = (sql: string): boolean => /^select id from \w+ order by seq desc limit 1$/.test(sql);
