// Senders: how their calls went, and keys that arrived by request.
import { longestPairingMs, type CallResult, type SenderCalls, type SenderRecord } from "../../core/sender.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import { encode, numberOrNull } from "./rows.ts";
import { jsonIn, readEach } from "./shapes.ts";
import * as shapes from "./shapes.ts";

const callColumns = ["name", "result", "calls", "ago", "skew"] as const;

export function* noteCalls(
  dialect: Dialect,
  { calls, now }: { calls: readonly SenderCalls[]; now: number },
): Program<void> {
  if (calls.length === 0) return;
  // Sorted, so that two nodes never lock rows in opposite order.
  const items = calls
    .map((each) => [each.name, each.result, each.calls, each.agoMs, each.skewMs])
    .toSorted((a, b) => (`${a[0]}\n${a[1]}` < `${b[0]}\n${b[1]}` ? -1 : 1));
  yield {
    sql: `insert into sender_call(name, result, calls, last_at, skew_ms)
      ${dialect.stored(callColumns, 1, "item.name, item.result, cast(item.calls as bigint), cast($1 as bigint) - cast(item.ago as bigint), cast(item.skew as bigint)")}
      on conflict (name, result) do update set calls = sender_call.calls + excluded.calls,
        last_at = excluded.last_at, skew_ms = excluded.skew_ms`,
    values: [now],
    rows: { columns: callColumns, items },
  };
}

export function* listSenders(_dialect: Dialect, { now }: { now: number }): Program<SenderRecord[]> {
  const calls = yield {
    sql: "select name, result, calls, last_at, skew_ms from sender_call order by name, result",
    values: [],
  };
  const keys = yield { sql: "select name, taken_at, pairing_until from sender_key", values: [] };
  const names = [...new Set([...calls, ...keys].map((row) => String(row["name"])))].toSorted();
  return names.map((name) => {
    const key = keys.find((row) => row["name"] === name);
    const leftMs = Number(key?.["pairing_until"] ?? 0) - now;
    return {
      name,
      calls: calls
        .filter((row) => row["name"] === name)
        .map((row) => ({
          result: String(row["result"]) as CallResult,
          calls: Number(row["calls"]),
          lastAt: Number(row["last_at"]),
          skewMs: numberOrNull(row["skew_ms"]),
        })),
      keyTakenAt: numberOrNull(key?.["taken_at"]),
      pairingMs: leftMs > 0 && leftMs <= longestPairingMs ? leftMs : null,
    };
  });
}

export function* openPairing(
  _dialect: Dialect,
  { name, forMs, now }: { name: string; forMs: number; now: number },
): Program<boolean> {
  const rows = yield {
    sql: `insert into sender_key(name, pairing_until) values ($1, $2)
      on conflict (name) do update set pairing_until = excluded.pairing_until
      where sender_key.secret is null returning name`,
    values: [name, now + Math.min(forMs, longestPairingMs)],
  };
  return rows.length > 0;
}

/** One statement, so that of two keys that arrive at the same time one is taken. A window too far ahead is over. */
export function* takeKey(
  _dialect: Dialect,
  { name, secret, now }: { name: string; secret: string; now: number },
): Program<boolean> {
  const rows = yield {
    sql: `update sender_key set secret = $2, taken_at = cast($3 as bigint), pairing_until = null
      where name = $1 and secret is null and pairing_until > cast($3 as bigint) and pairing_until <= cast($4 as bigint)
      returning name`,
    values: [name, encode(secret), now, now + longestPairingMs],
  };
  return rows.length > 0;
}

export function* forgetKey(_dialect: Dialect, { name }: { name: string }): Program<boolean> {
  const rows = yield { sql: "delete from sender_key where name = $1 returning name", values: [name] };
  return rows.length > 0;
}

/** One that cannot be read is none. */
export function* senderKeys(_dialect: Dialect, _input: null): Program<Map<string, string>> {
  const rows = yield { sql: "select name, secret from sender_key where secret is not null", values: [] };
  const { items } = readEach(rows, (row): [string, string] => [
    String(row["name"]),
    jsonIn(row, "secret", shapes.text, "use") as string,
  ]);
  return new Map(items);
}
