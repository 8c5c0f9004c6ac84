// A group of accepted requests in one transaction.
import type { Dialect, Program } from "../driver.ts";
import type { Accepted, Acceptance, Answer, HeartbeatRequest } from "../store.ts";
import { insertEvents, insertRuns, requestHeartbeat } from "./enqueue.ts";
import { eventToJson, runToJson } from "./rows.ts";

/** An acceptance made ready to travel to the writer: rows are JSON text already. */
export type PackedAcceptance = {
  id: string;
  hook: string;
  events: string;
  runs: string;
  runCount: number;
  heartbeat: HeartbeatRequest | null;
  key: string | null;
  fingerprint: string | null;
  answer: string | null;
};

export const packAcceptance = (acceptance: Acceptance): PackedAcceptance => ({
  id: acceptance.id,
  hook: acceptance.hook,
  events: acceptance.events.map(eventToJson).join(","),
  runs: acceptance.runs.map(runToJson).join(","),
  runCount: acceptance.runs.length,
  heartbeat: acceptance.heartbeat,
  key: acceptance.idempotency?.key ?? null,
  fingerprint: acceptance.idempotency?.fingerprint ?? null,
  answer: acceptance.idempotency ? JSON.stringify(acceptance.answer) : null,
});

export type AcceptInput = { group: readonly PackedAcceptance[]; now: number; idempotencyMs: number };

/** Answers in the order of the group; null stands for stored, the usual case. */
export function* accept(dialect: Dialect, input: AcceptInput): Program<(Accepted | null)[]> {
  const keyed = input.group.filter((each) => each.key !== null);
  const repeated = keyed.length > 0 ? yield* claimKeys(dialect, keyed, input) : null;
  const fresh = repeated ? input.group.filter((each) => !repeated.has(each.id)) : input.group;

  const events = joined(fresh, "events");
  if (events) yield* insertEvents(dialect, { events, now: input.now });
  const runs = joined(fresh, "runs");
  const count = fresh.reduce((sum, each) => sum + each.runCount, 0);
  if (runs) yield* insertRuns(dialect, { runs, count, now: input.now });
  const heartbeat = fresh.find((each) => each.heartbeat)?.heartbeat;
  if (heartbeat) yield* requestHeartbeat(dialect, { ...heartbeat, now: input.now });
  return input.group.map((each) => repeated?.get(each.id) ?? null);
}

function joined(group: readonly PackedAcceptance[], field: "events" | "runs"): string | null {
  const rows = group.map((each) => each[field]).filter((row) => row !== "");
  return rows.length > 0 ? `[${rows.join(",")}]` : null;
}

const keyColumns = ["hook", "key", "fingerprint", "id", "answer"] as const;

/** Takes the keys that are free or expired. What is not fresh is answered from the one that came first. */
function* claimKeys(
  dialect: Dialect,
  keyed: readonly PackedAcceptance[],
  { now, idempotencyMs }: AcceptInput,
): Program<Map<string, Accepted>> {
  const firsts = new Map<string, PackedAcceptance>();
  for (const each of keyed) {
    const name = `${each.hook}\n${each.key}`;
    if (!firsts.has(name)) firsts.set(name, each);
  }
  // Sorted, so that two groups never wait for each other's keys in opposite order.
  const sorted = [...firsts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  const rows = JSON.stringify(
    sorted.map(({ id, hook, key, fingerprint, answer }) => ({ id, hook, key, fingerprint, answer })),
  );
  const taken = yield {
    sql: `insert into idempotency(hook, key, fingerprint, acceptance_id, answer, created_at)
      select item.hook, item.key, item.fingerprint, item.id, item.answer, cast($1 as bigint)
      from ${dialect.rows(keyColumns, 2)} where true
      on conflict (hook, key) do update set fingerprint = excluded.fingerprint, acceptance_id = excluded.acceptance_id,
        answer = excluded.answer, created_at = excluded.created_at
      where idempotency.created_at <= $2
      returning acceptance_id`,
    values: [now, now - idempotencyMs],
    rows: { json: rows, columns: keyColumns },
  };
  const fresh = new Set(taken.map((row) => row["acceptance_id"]));
  const repeated = new Map<string, Accepted>();
  for (const each of keyed) {
    if (fresh.has(each.id)) continue;
    const [first] = yield {
      sql: "select fingerprint, answer from idempotency where hook = $1 and key = $2",
      values: [each.hook, each.key],
    };
    if (!first) throw new Error("an idempotency key vanished while it was looked up");
    const same = first["fingerprint"] === each.fingerprint;
    repeated.set(
      each.id,
      same
        ? { kind: "replayed", answer: JSON.parse(String(first["answer"])) as Answer }
        : { kind: "mismatch" },
    );
  }
  return repeated;
}
