// When the store's clock was set: moments of unfinished work are brought to the new time. Each of them is healed by one
// of the rules below; `clock.test.ts` says for every other moment in the schema why it needs none. The reasons are in
// docs/decisions/009-clocks.md.
import { type ClockStep, type Moved, nothingMoved } from "../../core/clock-step.ts";
import { largest } from "../../core/largest.ts";
import { longestRetryMs } from "../../core/retry.ts";
import { nextDay } from "../../core/spending.ts";
import type { Dialect } from "../driver/dialect.ts";
import { jsonIn } from "./shapes.ts";
import * as shapes from "./shapes.ts";
import { probeName } from "./upkeep.ts";
import { batch, type Program, type Row, type Statement } from "../driver/program.ts";

/**
 * `wait`: when something may go on. `lease`: when a lease ends. `day`: the start of the next day. `since`: a moment in
 * the past from which something is measured. `window`: the start of a time for which something holds; it is moved
 * forward only, because a window that lasts longer does no harm.
 */
type Rule = "wait" | "lease" | "day" | "since" | "window";
type Moment = {
  table: string;
  column: string;
  rule: Rule;
  /** Written so that an index of the table has the rows. */
  where: string;
  /** With `wait`: the longest wait that is ever stored. */
  mostMs?: number;
  kind?: keyof Moved;
  /** One that is too early does no harm. */
  isBackOnly?: boolean;
};

const isQueuedHead = "head > 0 and kind in ('hook', 'heartbeat') and status = 'queued'";
const isQueuedBehind = "head = 0 and status = 'queued'";
const isTaken = "status in ('running', 'parked')";
const dayMs = 86_400_000;

export const moments: readonly Moment[] = [
  {
    table: "run",
    column: "ready_at",
    rule: "wait",
    where: isQueuedHead,
    mostMs: longestRetryMs,
    kind: "runs",
  },
  {
    table: "run",
    column: "ready_at",
    rule: "wait",
    where: isQueuedBehind,
    mostMs: longestRetryMs,
    kind: "runs",
  },
  {
    table: "run",
    column: "ready_at",
    rule: "lease",
    where: `${isTaken} and status = 'running'`,
    kind: "runs",
  },
  { table: "run", column: "ready_at", rule: "day", where: `${isTaken} and status = 'parked'`, kind: "runs" },
  { table: "run", column: "claimed_at", rule: "since", where: `${isTaken} and status = 'running'` },
  { table: "run", column: "claimed_at", rule: "since", where: isQueuedHead, isBackOnly: true },
  { table: "run", column: "created_at", rule: "since", where: isQueuedHead, isBackOnly: true },
  { table: "run", column: "created_at", rule: "since", where: isQueuedBehind, isBackOnly: true },
  {
    table: "delivery",
    column: "ready_at",
    rule: "wait",
    where: "status = 'waiting' and lease is null",
    mostMs: longestRetryMs,
    kind: "deliveries",
  },
  {
    table: "delivery",
    column: "ready_at",
    rule: "lease",
    where: "status = 'waiting' and lease is not null",
    kind: "deliveries",
  },
  { table: "delivery", column: "waiting_since", rule: "since", where: "status = 'waiting'" },
  {
    table: "mail_seen",
    column: "ready_at",
    rule: "wait",
    where: "outcome = 'waiting'",
    mostMs: longestRetryMs,
    kind: "mails",
  },
  { table: "mail_account", column: "lease_until", rule: "lease", where: "lease is not null" },
  // A subscription of Google's is renewed once a day.
  { table: "mail_account", column: "watch_due_at", rule: "wait", where: "true", mostMs: 2 * dayMs },
  { table: "mail_account", column: "cursor_at", rule: "since", where: "true", isBackOnly: true },
  { table: "session", column: "last_at", rule: "window", where: "true" },
  { table: "idempotency", column: "created_at", rule: "window", where: "true" },
];

/** Clocks that are slewed, and transactions that wait for a lock, differ by less. */
const littleMs = 1000;

/** A shorter step forward moves no windows: they can be many, and last much longer. */
const windowStepMs = 3_600_000;

type HealInput = {
  /** How far the clock was set. Null: at the opening; then it is found from what the store remembers. */
  stepMs: number | null;
  /** How long ago that was, where the store was away meanwhile. */
  agoMs: number;
  leaseMs: number;
  now: number;
};

/** Null: another node has just done it, or there was nothing to do. */
export function* healClock(dialect: Dialect, input: HealInput): Program<ClockStep | null> {
  const { now, agoMs } = input;
  const last = dialect.concurrent ? yield* lastHealed(dialect) : null;
  if (input.stepMs !== null && last && isSame(last, input.stepMs, now - agoMs)) return null;
  const stepMs = input.stepMs ?? (yield* stepWhileClosed(now));
  if (dialect.concurrent && stepMs !== 0) yield* noteHealed({ at: now, stepMs: input.stepMs });
  const moved = yield* apply(
    stepMs > 0
      ? moments.flatMap((moment) => moveForward(dialect, moment, { stepMs, now }))
      : moments.flatMap((moment) => setBack(moment, { ...input, stepMs })),
  );
  yield {
    sql: "update setting set value = $2 where name = $1 and cast(value as bigint) > cast($3 as bigint)",
    values: [probeName, String(now), now],
  };
  return stepMs !== 0 || Object.values(moved).some((count) => count > 0) ? { stepMs, moved } : null;
}

/** The last step that was healed, for all nodes. At an opening its size is not known. */
type Healed = { at: number; stepMs: number | null };

const healedName = "clock-healed";
/** Within it, the nodes on one database find the same step. */
const onceMs = 60_000;
/** Slow connections measure a step no better. */
const sameMs = 5000;

const isSame = (last: Healed, stepMs: number, seenAt: number): boolean =>
  seenAt > last.at - sameMs &&
  seenAt < last.at + onceMs &&
  (last.stepMs === null || Math.abs(last.stepMs - stepMs) < sameMs);

/** Locks its row until the commit, so that nodes heal one after another. */
function* lastHealed({ forUpdate }: Dialect): Program<Healed | null> {
  const name = healedName;
  yield {
    sql: "insert into setting(name, value) values ($1, 'null') on conflict (name) do nothing",
    values: [name],
  };
  const [row] = yield { sql: `select value from setting where name = $1 ${forUpdate}`, values: [name] };
  return row ? (jsonIn(row, "value", shapes.healed, "show") as Healed | null) : null;
}

function* noteHealed(healed: Healed): Program<void> {
  yield {
    sql: "update setting set value = $2 where name = $1",
    values: [healedName, JSON.stringify(healed)],
  };
}

/**
 * How far the clock was set back at least: the last moment that the store remembers is in the future. Only moments that
 * are healed count, so that a step is found once.
 */
function* stepWhileClosed(now: number): Program<number> {
  const found = yield* batch([
    ...moments
      .filter(({ rule }) => rule === "since")
      .map(({ table, column, where }) => ({
        sql: `select max(${column}) as last_at from ${table} where ${where}`,
        values: [],
      })),
    { sql: "select cast(value as bigint) as last_at from setting where name = $1", values: [probeName] },
  ]);
  const lastAt = largest(found.map(([row]) => Number(row?.["last_at"] ?? 0)));
  return lastAt > now + littleMs ? now - lastAt : 0;
}

function setBack(moment: Moment, { stepMs, leaseMs, now }: HealInput & { stepMs: number }): Change[] {
  const { table, column, rule, where, mostMs = 0 } = moment;
  const update = (from: number, value: string, values: readonly number[]): Change[] => [
    {
      moment,
      sql: `update ${table} set ${column} = ${value} where ${where} and ${column} > cast($1 as bigint) returning 1 as moved`,
      values: [from, ...values],
    },
  ];
  const moved = `${column} + cast($2 as bigint)`;
  const toNow = "cast($3 as bigint)";
  switch (rule) {
    case "wait": {
      const value = `case when ${moved} > ${toNow} and ${moved} <= cast($4 as bigint) then ${moved} else ${toNow} end`;
      return update(stepMs < 0 ? now : now + mostMs + littleMs, value, [stepMs, now, now + mostMs]);
    }
    case "lease":
      return update(now + leaseMs + (stepMs < 0 ? 0 : onceMs), "cast($2 as bigint)", [now + leaseMs]);
    case "day":
      return update(nextDay(now), "cast($2 as bigint)", [nextDay(now)]);
    case "window":
      return [];
    case "since": {
      const value = `case when ${moved} < ${toNow} then ${moved} else ${toNow} end`;
      return update(stepMs < 0 ? now : now + littleMs, value, [stepMs, now]);
    }
  }
}

/**
 * What waits is moved as far as the clock was. From one node of several, a step forward of the database's clock looks
 * like its own suspension, in which waits and leases have to end. So there only those moments are moved which may be too
 * late without harm: from which something is measured that must not become too long.
 */
function moveForward(
  dialect: Dialect,
  moment: Moment,
  { stepMs, now }: { stepMs: number; now: number },
): Change[] {
  const { table, column, rule, where, mostMs = 0 } = moment;
  // Days are those of the new time.
  if (rule === "day" || moment.isBackOnly) return [];
  if (dialect.concurrent && rule !== "since") return [];
  if (rule === "window" && stepMs < windowStepMs) return [];
  const isPast = rule === "since" || rule === "window";
  const moved = `${column} + cast($3 as bigint)`;
  const toNow = "cast($4 as bigint)";
  const value = isPast ? `case when ${moved} < ${toNow} then ${moved} else ${toNow} end` : moved;
  const before = now - stepMs;
  // What was due before is due now; what is due later than anything could be was stored with the new time.
  const [from, to] = rule === "wait" ? [before, before + mostMs] : [isPast ? before - dayMs : 0, now + dayMs];
  const sql = `update ${table} set ${column} = ${value}
    where ${where} and ${column} > cast($1 as bigint) and ${column} <= cast($2 as bigint) returning 1 as moved`;
  return [{ moment, sql, values: isPast ? [from, to, stepMs, now] : [from, to, stepMs] }];
}

type Change = { moment: Moment; sql: string; values: readonly number[] };

function* apply(changes: readonly Change[]): Program<Moved> {
  const moved = { ...nothingMoved };
  const rows: Row[][] = yield* batch(changes.map(({ sql, values }): Statement => ({ sql, values })));
  for (const [at, { moment }] of changes.entries()) if (moment.kind) moved[moment.kind] += rows[at]!.length;
  return moved;
}
