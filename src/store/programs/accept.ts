// A group of accepted requests in one transaction.
import type { Dialect } from "../driver/dialect.ts";
import { ask, finalBatch, queries, type Program, type Transaction, type Value } from "../driver/program.ts";
import type { Accepted, Acceptance, Idempotency, StoredResponse, Repeated } from "../../core/request.ts";
import type { HeartbeatRequest } from "../../core/system-event.ts";
import {
  insertIsolated,
  insertIsolatedFrom,
  insertRuns,
  insertRunsOnce,
  insertRunsWithRequests,
  isIsolated,
} from "./enqueue.ts";
import { insertEvents } from "./events.ts";
import { insertEventsOnce, requestHeartbeat } from "./heartbeats.ts";
import { mayAsk } from "./paused.ts";
import {
  areKept,
  asRepeated,
  insertRequests,
  insertRequestsFrom,
  keptOf,
  requestRowColumns,
  type RequestRow,
  type RequestRows,
  toAcceptedRow,
  withRequests,
} from "./requests.ts";
import { runRowColumns, toEventRow, toRunRow } from "./rows.ts";
import { idempotencyMs as usualKeptMs } from "../../core/retention.ts";
import { jsonIn } from "./shapes.ts";
import * as shapes from "./shapes.ts";

/** Rows for the writer. */
type PackedRows = {
  events: Value[][];
  runs: Value[][];
  heartbeat: HeartbeatRequest | null;
  /** The hooks that ask for it. */
  asking: string[];
  requests: RequestRow[];
};
type KeyedAcceptance = PackedRows & {
  id: string;
  hook: string;
  /** One, or two. */
  keys: readonly string[];
  fingerprint: string;
  /** By how much its keys are dated ahead. */
  ahead: number;
  response: string;
};

/** Requests without an idempotency key are packed as one, since they all have the same result. */
export type AcceptInput = {
  plain: PackedRows;
  keyed: readonly KeyedAcceptance[];
  now: number;
  idempotencyMs: number;
};

export function packGroup(group: readonly Acceptance[]): Pick<AcceptInput, "plain" | "keyed"> {
  const keyed = group.flatMap((each) => {
    if (!each.idempotency) return [];
    const { id, hook, idempotency, response } = each;
    const { fingerprint, keptMs = 0 } = idempotency;
    const keys = keysOf(idempotency);
    const ahead = Math.max(0, keptMs - usualKeptMs);
    return [{ id, hook, keys, fingerprint, ahead, response: JSON.stringify(response), ...packRows([each]) }];
  });
  return { plain: packRows(keyed.length > 0 ? group.filter((each) => !each.idempotency) : group), keyed };
}

function packRows(group: readonly Acceptance[]): PackedRows {
  const packed: PackedRows = { events: [], runs: [], heartbeat: null, asking: [], requests: [] };
  for (const each of group) {
    const request = toAcceptedRow(each);
    if (request !== null) packed.requests.push(request);
    for (const event of each.events) packed.events.push(toEventRow(event));
    for (const run of each.runs) packed.runs.push(toRunRow(run));
    packed.heartbeat ??= each.heartbeat;
    if (each.heartbeat) packed.asking.push(each.hook);
  }
  return packed;
}

/** Returns the results of the keyed requests, in their order. All others are stored. */
export function* accept(dialect: Dialect, input: AcceptInput): Transaction<Accepted[]> {
  const { plain, keyed, now } = input;
  const repeated = keyed.length > 0 ? yield* claimKeys(dialect, input) : null;
  const fresh = [plain, ...keyed.filter((each) => !repeated?.has(each.id))];

  const results = keyed.map((each): Accepted => repeated?.get(each.id) ?? { kind: "stored" });
  const again = keyed.flatMap(({ id, requests }) => {
    const first = repeated?.get(id);
    return first ? requests.map((row) => asRepeated(row, first)) : [];
  });
  const requests = insertRequests(dialect, {
    requests: [...fresh.flatMap((each) => each.requests), ...again],
    now,
  });
  const events = insertEvents(dialect, { events: fresh.flatMap((each) => each.events), now });
  const runs = fresh.flatMap((each) => each.runs);
  const heartbeat = fresh.find((each) => each.heartbeat)?.heartbeat;
  if (!heartbeat && runs.every(isIsolated)) {
    const { statements } = queries([events, insertIsolated(dialect, { runs, now }), requests]);
    return finalBatch(statements, () => results);
  }
  const asking = mayAsk(
    dialect,
    fresh.flatMap((each) => each.asking),
  );
  const [, , isAsked] = yield* ask(queries([events, requests, asking] as const));
  if (runs.length > 0) yield* insertRuns(dialect, { runs, now });
  if (heartbeat && isAsked) yield* requestHeartbeat(dialect, { ...heartbeat, now });
  return results;
}

/** For requests with one run each, in a single statement. Returns the ids of the runs that were not stored. */
export function* acceptRuns(
  dialect: Dialect,
  input: { runs: readonly Value[][]; requests: RequestRows; now: number | null },
): Program<string[]> {
  const { runs, requests, now } = input;
  const hasRequests = areKept(requests);
  if (hasRequests && dialect.concurrent) return yield* insertRunsWithRequests(dialect, input);
  const left = yield* insertRunsOnce(dialect, { runs, now });
  // A single writer stores all runs.
  if (hasRequests) yield* ask(insertRequests(dialect, { requests: keptOf(requests), now }));
  return left.map(([id]) => String(id));
}

const keyedColumns = [
  ...runRowColumns,
  "name",
  "key",
  "second",
  "fingerprint",
  "answer",
  "ahead",
  ...requestRowColumns,
] as const;

/**
 * On PostgreSQL, for requests with keys that lead to one isolated run each, in a single statement. Returns the ids of
 * the runs that were not stored, because a key may be known: the transaction decides those. A request claims keys only
 * where the statement saw none of them, so that a key which is claimed for a run that is not stored belongs to a request
 * that another node has stored meanwhile.
 */
export function* acceptKeyed(
  dialect: Dialect,
  { keyed, now }: { keyed: readonly KeyedAcceptance[]; now: number | null },
): Program<string[]> {
  const items = keyed.map(({ runs: [run], hook, keys, fingerprint, response, ahead }) => [
    ...run!,
    hook,
    keys[0]!,
    keys[1] ?? null,
    fingerprint,
    response,
    ahead,
  ]);
  const requests = keyed.map((each) => each.requests[0] ?? null);
  const rows = yield {
    sql: acceptKeyedSql(dialect),
    values: [now],
    rows: { columns: keyedColumns, items: withRequests(items, requests) },
  };
  const stored = new Set(rows.map((row) => row["id"]));
  return keyed.flatMap(({ id }) => (stored.has(id) ? [] : [id]));
}

function acceptKeyedSql(dialect: Dialect): string {
  const now = dialect.timeOf("$1");
  return `with incoming as materialized (select item.* from ${dialect.rows(keyedColumns, 1)}),
      wanted as materialized (
        select id, name, key, fingerprint, answer, ahead from incoming
        union all select id, name, second, fingerprint, answer, ahead from incoming where second is not null),
      known as materialized (
        select wanted.id from wanted join idempotency on idempotency.hook = wanted.name and idempotency.key = wanted.key),
      claimed as (
        insert into idempotency(hook, key, fingerprint, acceptance_id, answer, created_at)
        select name, key, fingerprint, id, answer, ${now} + cast(ahead as bigint) from wanted
        where id not in (select id from known) order by name collate "C", key collate "C"
        on conflict do nothing returning acceptance_id),
      fresh as materialized (
        select acceptance_id from claimed group by acceptance_id
        having count(*) = (select count(*) from wanted where wanted.id = acceptance_id)),
      kept as (${insertRequestsFrom("incoming", "id in (select acceptance_id from fresh)", now)}),
      stored as (${insertIsolatedFrom("incoming", "id in (select acceptance_id from fresh)", now)} returning id)
      select id from stored`;
}

type EventsInput = {
  events: readonly Value[][];
  /** Of each event; null where it is the request of an earlier one. */
  requests: RequestRows;
  heartbeat: HeartbeatRequest | null;
  /** The hooks that ask for it. */
  asking: readonly string[];
  now: number | null;
};

/** The events of a group that has nothing else, each beside its request. */
export function packEvents(group: readonly Acceptance[]): Omit<EventsInput, "now"> {
  const events = group.flatMap((each) => each.events.map((event) => toEventRow(event)));
  const requests = group.flatMap((each) => {
    const request = toAcceptedRow(each);
    return each.events.map((_, at) => (at === 0 ? request : null));
  });
  const askers = group.filter((each) => each.heartbeat);
  const asking = askers.map(({ hook }) => hook);
  return { events, requests, heartbeat: askers[0]?.heartbeat ?? null, asking };
}

/** For requests with events only; on PostgreSQL a single statement. False: nothing was stored. */
export function* acceptEvents(dialect: Dialect, input: EventsInput): Program<boolean> {
  const { events, requests, heartbeat, asking, now } = input;
  if (dialect.concurrent) return yield* insertEventsOnce(dialect, input);
  const [, , isAsked] = yield* ask(
    queries([
      insertEvents(dialect, { events, now }),
      insertRequests(dialect, { requests: keptOf(requests), now }),
      mayAsk(dialect, asking),
    ] as const),
  );
  if (heartbeat !== null && isAsked) yield* requestHeartbeat(dialect, { ...heartbeat, now: Number(now) });
  return true;
}

const keysOf = ({ key, secondKey = key }: Idempotency): string[] =>
  secondKey === key ? [key] : [key, secondKey];

const keyColumns = ["hook", "key", "fingerprint", "id", "answer", "ahead"] as const;

/**
 * Claims the keys that are free or expired. Returns the results of requests of which a key was claimed before. Their
 * other key stays claimed: from now on it belongs to that request, too. A key that is kept for longer than usual is
 * dated ahead, so that one age holds for all keys.
 */
function* claimKeys(
  dialect: Dialect,
  { keyed, now, idempotencyMs }: AcceptInput,
): Program<Map<string, Repeated>> {
  const firsts = new Map<string, { each: KeyedAcceptance; key: string }>();
  for (const each of keyed) {
    for (const key of each.keys) {
      const name = `${each.hook}\n${key}`;
      if (!firsts.has(name)) firsts.set(name, { each, key });
    }
  }
  // Sorted, so that two groups never lock keys in opposite order.
  const sorted = [...firsts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, first]) => first);
  const items = sorted.map(({ each: { id, hook, fingerprint, response, ahead }, key }) => [
    hook,
    key,
    fingerprint,
    id,
    response,
    ahead,
  ]);
  const claimed = yield {
    sql: `insert into idempotency(hook, key, fingerprint, acceptance_id, answer, created_at)
      ${dialect.stored(keyColumns, 2, "item.hook, item.key, item.fingerprint, item.id, item.answer, cast($1 as bigint) + cast(item.ahead as bigint)")}
      on conflict (hook, key) do update set fingerprint = excluded.fingerprint, acceptance_id = excluded.acceptance_id,
        answer = excluded.answer, created_at = excluded.created_at
      where idempotency.created_at <= $2
      returning acceptance_id, key`,
    values: [now, now - idempotencyMs],
    rows: { columns: keyColumns, items },
  };
  const own = new Set(claimed.map((row) => `${String(row["acceptance_id"])}\n${String(row["key"])}`));
  const repeated = new Map<string, Repeated>();
  for (const { id, hook, keys, fingerprint } of keyed) {
    const taken = keys.filter((key) => !own.has(`${id}\n${key}`));
    if (taken.length === 0) continue;
    const first = yield* repeatedBy({ hook, keys: taken, fingerprint }, -1);
    if (!first) throw new Error("an idempotency key vanished while it was looked up");
    repeated.set(id, first);
  }
  return repeated;
}

type Lookup = { hook: string; keys: readonly string[]; fingerprint: string };

function* repeatedBy({ hook, keys, fingerprint }: Lookup, after: number): Program<Repeated | null> {
  const [first] = yield {
    sql: `select fingerprint, answer, acceptance_id from idempotency
      where hook = $1 and key in ($2, $3) and created_at > $4 limit 1`,
    values: [hook, keys[0]!, keys.at(-1)!, after],
  };
  if (!first) return null;
  if (first["fingerprint"] !== fingerprint) return { kind: "mismatch" };
  const response = jsonIn(first, "answer", shapes.response, "show") as StoredResponse | null;
  return response ? { kind: "replayed", response } : yield* rebuilt(String(first["acceptance_id"]));
}

/** The response to a request that was stored, where the response itself cannot be read: nothing may be done twice. */
function* rebuilt(id: string): Program<Repeated> {
  const runs = yield { sql: "select 1 from run where id = $1", values: [id] };
  const response =
    runs.length > 0 ? { status: 202, body: { ok: true, runId: id } } : { status: 200, body: { ok: true } };
  return { kind: "replayed", response, rebuiltFor: id };
}

type FindRepeatedInput = Idempotency & { hook: string; now: number; idempotencyMs: number };

export const findRepeated = (
  _: Dialect,
  { hook, fingerprint, now, idempotencyMs, ...keys }: FindRepeatedInput,
): Program<Repeated | null> =>
  repeatedBy({ hook, keys: keysOf({ fingerprint, ...keys }), fingerprint }, now - idempotencyMs);
