// The outbox.
import type { ClaimedDelivery, NewDelivery } from "../../core/delivery.ts";
import type { Dialect, Program } from "../driver.ts";
import type { CancelResult, Claim, DeliverySettlement } from "../store.ts";
import { insertEvent } from "./enqueue.ts";
import { encode, encodeOrNull, toClaimedDelivery } from "./rows.ts";

export const deliveryColumns =
  "seq, id, run_id, channel, recipient, text, status, attempts, created_at, sent_at, lease, error";

export function* insertDelivery(delivery: NewDelivery, now: number): Program<void> {
  yield {
    sql: `insert into delivery(id, run_id, channel, recipient, text, status, created_at, ready_at, ended_at, error)
      values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)`,
    values: [
      delivery.id,
      delivery.runId,
      delivery.channel,
      encodeOrNull(delivery.to),
      encode(delivery.text),
      delivery.status,
      now,
      delivery.status === "waiting" ? null : now,
      encodeOrNull(delivery.error),
    ],
  };
}

export type ClaimDeliveriesInput = { limit: number; lease: string; leaseMs: number; now: number };

export function* claimDeliveries(
  dialect: Dialect,
  input: ClaimDeliveriesInput,
): Program<Claim<ClaimedDelivery>> {
  const rows = yield {
    sql: `with due as materialized (
        select seq as due_seq from delivery where status = 'waiting' and ready_at <= $1
        order by ready_at, seq limit $2 ${dialect.forUpdateSkipLocked})
      update delivery set lease = $3, attempts = attempts + 1, ready_at = cast($4 as bigint)
      from due where delivery.seq = due.due_seq returning ${deliveryColumns}`,
    values: [input.now, input.limit, input.lease, input.now + input.leaseMs],
  };
  const claimed = rows.toSorted((a, b) => Number(a["seq"]) - Number(b["seq"])).map(toClaimedDelivery);
  const [next] = yield {
    sql: "select ready_at from delivery where status = 'waiting' order by ready_at limit 1",
    values: [],
  };
  return { claimed, nextReadyAt: next ? Number(next["ready_at"]) : null };
}

export type SettleDeliveryInput = { id: string; lease: string; settlement: DeliverySettlement; now: number };

export function* settleDelivery(_dialect: Dialect, input: SettleDeliveryInput): Program<boolean> {
  const { settlement, now } = input;
  const waits = settlement.status === "waiting";
  const rows = yield {
    sql: `update delivery set status = $3, lease = null, ready_at = cast($4 as bigint), attempts = attempts - $5, error = $6,
        channel = $7, recipient = $8, sent_at = cast($9 as bigint), ended_at = cast($10 as bigint)
      where id = $1 and lease = $2 and status = 'waiting' returning id`,
    values: [
      input.id,
      input.lease,
      settlement.status,
      now + settlement.delayMs,
      settlement.countsAttempt ? 0 : 1,
      encodeOrNull(settlement.error),
      settlement.channel,
      encodeOrNull(settlement.to),
      settlement.status === "sent" ? now : null,
      waits ? null : now,
    ],
  };
  if (rows.length === 0) return false;
  if (settlement.notice) yield* insertEvent(settlement.notice, null, now);
  return true;
}

export function* retryDelivery(
  _dialect: Dialect,
  input: { id: string; now: number },
): Program<"waiting" | "not-ended" | "unknown"> {
  const rows = yield {
    sql: `update delivery set status = 'waiting', ready_at = cast($2 as bigint), ended_at = null, error = null, attempts = 0, lease = null
      where id = $1 and status in ('failed', 'unknown', 'suppressed') returning id`,
    values: [input.id, input.now],
  };
  if (rows.length > 0) return "waiting";
  const found = yield { sql: "select 1 from delivery where id = $1", values: [input.id] };
  return found.length > 0 ? "not-ended" : "unknown";
}

export function* cancelDelivery(
  dialect: Dialect,
  input: { id: string; error: string; now: number },
): Program<CancelResult> {
  const [found] = yield {
    sql: `select status from delivery where id = $1 ${dialect.forUpdate}`,
    values: [input.id],
  };
  if (!found) return "unknown";
  if (found["status"] !== "waiting") return "ended";
  // Whoever is sending it now loses the lease; the message may still arrive.
  yield {
    sql: "update delivery set status = 'failed', lease = null, ended_at = cast($2 as bigint), error = $3 where id = $1",
    values: [input.id, input.now, encode(input.error)],
  };
  return "cancelled";
}
