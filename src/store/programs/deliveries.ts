// The outbox. Deliveries to one target form a lane, and only the head of a lane can be claimed, so that they go one
// after another; lanes go in parallel. A claimed one still waits, under a lease, and stays the head until it has ended.
import type { ClaimedDelivery, NewDelivery } from "../../core/delivery.ts";
import type { Target } from "../../core/target.ts";
import { cut } from "../../core/text.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import type { Claim } from "../../core/lease.ts";
import type { CancelResult } from "../../core/run.ts";
import type { DeliverySettlement } from "../../core/settlement.ts";
import { insertEvent } from "./events.ts";
import { readEach } from "./shapes.ts";
import { leasesEnded } from "./leases.ts";
import { encode, encodeOrNull, idColumn, toClaimedDelivery } from "./rows.ts";

export const deliveryColumns =
  "seq, id, run_id, channel, recipient, text, status, attempts, cursor, doubts, created_at, waiting_since, sent_at, ended_at, lease, error, fallback, trace";

const isHead = "head = 1 and status = 'waiting'";
/** Each pass is one change of a lane's head by another transaction; so many point to a bug. */
const mostPasses = 100;
/** PostgreSQL cannot index longer ones. Recipients with the same beginning share a lane. */
const longestLane = 500;

export const laneOf = ({ channel, to }: Pick<NewDelivery, "channel" | "to">): string =>
  cut(JSON.stringify([channel, to]), longestLane);
/** The same in SQL, for rows that are there. */
const laneSql = `substr('["' || channel || '",' || coalesce(recipient, 'null') || ']', 1, ${longestLane})`;

/** The delivery becomes its lane's head when that has none. The lock and the passes are those of `insertRuns`. */
export function* insertDelivery(dialect: Dialect, delivery: NewDelivery, now: number): Program<void> {
  const waits = delivery.status === "waiting";
  const lane = laneOf(delivery);
  for (let pass = 0; pass < mostPasses; pass++) {
    const stored = yield {
      sql: `insert into delivery(id, run_id, channel, recipient, text, status, created_at, ready_at, waiting_since, ended_at, error, fallback, lane, trace, head)
        select $1, $2, $3, $4, $5, $6, cast($7 as bigint), cast($7 as bigint), cast($7 as bigint), cast($8 as bigint), $9, $10, $11, $12,
          case when $6 <> 'waiting' or exists(select 1 from delivery where lane = $11 and ${isHead} ${dialect.forShare}) then 0 else 1 end
        where true on conflict (lane) where ${isHead} do nothing returning id`,
      values: [
        delivery.id,
        delivery.runId,
        delivery.channel,
        encodeOrNull(delivery.to),
        encode(delivery.text),
        delivery.status,
        now,
        waits ? null : now,
        encodeOrNull(delivery.error),
        delivery.fallback && encode(delivery.fallback),
        lane,
        encodeOrNull(delivery.trace),
      ],
    };
    if (stored.length > 0) return;
  }
  throw new Error("a lane's head never settled");
}

/** The lane's oldest waiting delivery becomes its head, where it has none. */
function* promote(dialect: Dialect, lane: string): Program<void> {
  yield {
    sql: `update delivery set head = 1 where seq = (
        select seq from delivery where lane = $1 and head = 0 and status = 'waiting' order by -seq desc limit 1 ${dialect.forUpdate})
      and not exists (select 1 from delivery where lane = $1 and ${isHead})`,
    values: [lane],
  };
}

/** Before a delivery changes lanes: no other transaction may give the new lane a head meanwhile. */
function* lockLanes({ concurrent }: Dialect): Program<void> {
  if (concurrent) yield { sql: "lock table delivery in share row exclusive mode", values: [] };
}

/** A claimed delivery that cannot be read, by its plain columns. */
export type UnreadableDelivery = Pick<
  ClaimedDelivery,
  "id" | "lease" | "channel" | "sentMessages" | "uncertainSends"
> & { reason: string };

export type ClaimDeliveriesInput = {
  channel: string;
  limit: number;
  lease: string;
  leaseMs: number;
  now: number;
  /** See `leasesEnded`. */
  leasesBy?: number | null;
};

export function* claimDeliveries(
  dialect: Dialect,
  input: ClaimDeliveriesInput,
): Program<Claim<ClaimedDelivery> & { unreadable: UnreadableDelivery[] }> {
  const { channel, limit, lease, leaseMs, now, leasesBy = null } = input;
  const rows = yield {
    sql: `with due as materialized (
        select seq as due_seq from delivery where ${isHead} and channel = $1 and ready_at <= $2${leasesEnded("lease is not null", "ready_at", "$6")}
        order by ready_at, seq limit $3 ${dialect.forUpdateSkipLocked})
      update delivery set lease = $4, attempts = attempts + 1, ready_at = cast($5 as bigint)
      from due where delivery.seq = due.due_seq returning ${deliveryColumns}`,
    values: [channel, now, limit, lease, now + leaseMs, leasesBy],
  };
  const inOrder = rows.toSorted((a, b) => Number(a["seq"]) - Number(b["seq"]));
  const { items: claimed, unreadable } = readEach(inOrder, (row) => toClaimedDelivery(row, now));
  const [next] = yield {
    sql: `select ready_at from delivery where ${isHead} and channel = $1 order by ready_at limit 1`,
    values: [channel],
  };
  return {
    claimed,
    nextInMs: next ? Number(next["ready_at"]) - now : null,
    unreadable: unreadable.map(({ row, reason }) => ({
      id: String(row["id"]),
      lease,
      channel,
      sentMessages: Number(row["cursor"]),
      uncertainSends: Number(row["doubts"]),
      reason,
    })),
  };
}

/** Goes from one name to the next, so that the cost depends on the number of channels, not of deliveries. */
export function* waitingChannels(_dialect: Dialect, _input: null): Program<string[]> {
  const rows = yield {
    sql: `with recursive names(name) as (
        select min(channel) from delivery where ${isHead} and channel is not null
        union all
        select (select min(channel) from delivery where ${isHead} and channel > names.name) from names where names.name is not null)
      select name from names where name is not null`,
    values: [],
  };
  return rows.map((row) => String(row["name"]));
}

export type AdvanceInput = {
  id: string;
  lease: string;
  sentMessages: number;
  leaseMs: number;
  now: number | null;
};

export function* advanceDelivery(dialect: Dialect, input: AdvanceInput): Program<boolean> {
  const rows = yield {
    sql: `update delivery set cursor = $3, doubts = 0, ready_at = ${dialect.timeOf("$4")} + cast($5 as bigint)
      where id = $1 and lease = $2 and status = 'waiting' returning id`,
    values: [input.id, input.lease, input.sentMessages, input.now, input.leaseMs],
  };
  return rows.length > 0;
}

export type RenewDeliveriesInput = {
  ids: readonly string[];
  lease: string;
  leaseMs: number;
  now: number | null;
};

export function* renewDeliveries(dialect: Dialect, input: RenewDeliveriesInput): Program<string[]> {
  const { from, item } = dialect.given(idColumn, 3);
  const rows = yield {
    sql: `update delivery set ready_at = ${dialect.timeOf("$2")} + cast($3 as bigint) ${from}
      where delivery.id = ${item.id} and lease = $1 and status = 'waiting' returning delivery.id`,
    values: [input.lease, input.now, input.leaseMs],
    rows: { columns: idColumn, items: input.ids.map((each) => [each]) },
  };
  return rows.map((row) => String(row["id"]));
}

export type SettleDeliveryInput = { id: string; lease: string; settlement: DeliverySettlement; now: number };

export function* settleDelivery(dialect: Dialect, input: SettleDeliveryInput): Program<boolean> {
  const { settlement, now } = input;
  const waits = settlement.status === "waiting";
  const [settled] = yield {
    sql: `update delivery set status = $3, lease = null, ready_at = cast($4 as bigint), attempts = attempts - $5, error = $6,
        cursor = $7, doubts = $8, sent_at = cast($9 as bigint), ended_at = cast($10 as bigint), head = $11
      where id = $1 and lease = $2 and status = 'waiting' returning lane`,
    values: [
      input.id,
      input.lease,
      settlement.status,
      now + settlement.delayMs,
      settlement.countsAttempt ? 0 : 1,
      encodeOrNull(settlement.error),
      settlement.sentMessages,
      settlement.uncertainSends,
      settlement.status === "sent" ? now : null,
      waits ? null : now,
      waits ? 1 : 0,
    ],
  };
  if (!settled) return false;
  if (!waits && settled["lane"] !== null) yield* promote(dialect, String(settled["lane"]));
  if (settlement.notice) yield* insertEvent(settlement.notice, null, now);
  if (settlement.fallback) yield* insertDelivery(dialect, settlement.fallback, now);
  return true;
}

export type MoveInput = { id: string; lease: string; target: Target; now: number };

export function* moveDelivery(dialect: Dialect, input: MoveInput): Program<boolean> {
  const { id, lease, target, now } = input;
  yield* lockLanes(dialect);
  const [found] = yield {
    sql: "select lane from delivery where id = $1 and lease = $2 and status = 'waiting'",
    values: [id, lease],
  };
  if (!found) return false;
  const lane = laneOf(target);
  yield {
    sql: `update delivery set channel = $2, recipient = $3, lane = $4, head = 0, lease = null, ready_at = cast($5 as bigint), attempts = attempts - 1
      where id = $1`,
    values: [id, target.channel, encode(target.to), lane, now],
  };
  if (found["lane"] !== null) yield* promote(dialect, String(found["lane"]));
  yield* promote(dialect, lane);
  return true;
}

export function* retryDelivery(
  dialect: Dialect,
  input: { id: string; now: number },
): Program<"waiting" | "not-ended" | "unknown"> {
  yield* lockLanes(dialect);
  const [row] = yield {
    sql: `update delivery set status = 'waiting', ready_at = cast($2 as bigint), waiting_since = cast($2 as bigint), ended_at = null,
        error = null, attempts = 0, doubts = 0, lease = null, head = 0, lane = coalesce(lane, ${laneSql})
      where id = $1 and status in ('failed', 'unknown', 'suppressed') returning lane`,
    values: [input.id, input.now],
  };
  if (row) {
    yield* promote(dialect, String(row["lane"]));
    return "waiting";
  }
  const found = yield { sql: "select 1 from delivery where id = $1", values: [input.id] };
  return found.length > 0 ? "not-ended" : "unknown";
}

export function* cancelDelivery(
  dialect: Dialect,
  input: { id: string; error: string; now: number },
): Program<CancelResult> {
  const [found] = yield {
    sql: `select status, lane from delivery where id = $1 ${dialect.forUpdate}`,
    values: [input.id],
  };
  if (!found) return "unknown";
  if (found["status"] !== "waiting") return "ended";
  // If it is being sent, that attempt loses its lease; the message may still arrive.
  yield {
    sql: "update delivery set status = 'failed', head = 0, lease = null, ended_at = cast($2 as bigint), error = $3 where id = $1",
    values: [input.id, input.now, encode(input.error)],
  };
  if (found["lane"] !== null) yield* promote(dialect, String(found["lane"]));
  return "cancelled";
}

/** Earlier versions did not promote the next delivery of a lane; a node mends that when it starts. */
export function* mendLanes(dialect: Dialect, _input: null): Program<void> {
  const stranded = `select min(seq) as seq from delivery as behind where head = 0 and status = 'waiting'
    and not exists (select 1 from delivery as first where first.lane = behind.lane and first.head = 1 and first.status = 'waiting')
    group by lane`;
  const found = yield { sql: `${stranded} limit 1`, values: [] };
  if (found.length === 0) return;
  yield* lockLanes(dialect);
  yield { sql: `update delivery set head = 1 where seq in (${stranded})`, values: [] };
}
