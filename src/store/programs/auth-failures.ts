// Failed tokens by address, counted for all nodes.
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import type { FailureCount } from "../ports/requests.ts";

const columns = ["address", "failures"] as const;

export type CountFailuresInput = {
  /** Addresses with their number of failures; each address once. */
  failures: readonly (readonly [string, number])[];
  windowMs: number;
  now: number;
};

/** A window starts with its first failure. One that ends too late was stored with another `windowMs`, and is over. */
export function* countFailures(
  dialect: Dialect,
  { failures, windowMs, now }: CountFailuresInput,
): Program<Map<string, FailureCount>> {
  const isOver = "auth_failure.ends_at <= $1 or auth_failure.ends_at > $2";
  const rows = yield {
    sql: `insert into auth_failure(address, failures, ends_at)
      ${dialect.stored(columns, 2, "item.address, cast(item.failures as integer), cast($2 as bigint)")}
      on conflict (address) do update set
        failures = case when ${isOver} then 0 else auth_failure.failures end + excluded.failures,
        ends_at = case when ${isOver} then excluded.ends_at else auth_failure.ends_at end
      returning address, failures, ends_at`,
    values: [now, now + windowMs],
    // Sorted, so that two nodes never lock rows in opposite order.
    rows: { columns, items: failures.toSorted(([a], [b]) => (a < b ? -1 : 1)) },
  };
  return new Map(
    rows.map((row) => [
      String(row["address"]),
      { failures: Number(row["failures"]), endsInMs: Number(row["ends_at"]) - now },
    ]),
  );
}

export function* sweepFailures({ limit, now }: { limit: number; now: number }): Program<number> {
  const removed = yield {
    sql: `delete from auth_failure where address in (
      select address from auth_failure where ends_at <= $1 order by ends_at limit $2) returning address`,
    values: [now, limit],
  };
  return removed.length;
}
