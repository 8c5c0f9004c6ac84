// Kept requests: what came in, how it was decided, and what it led to.
import type { NewRequest, Replay, RequestOutcome, RequestRecord, UnusedRequest } from "../../core/request.ts";
import type { Dialect } from "../driver/dialect.ts";
import { ask, command, nothing, type Program, type Query, type Value } from "../driver/program.ts";
import { packBody, unpackBody } from "./bodies.ts";
import { encode, requestColumns, toRequest } from "./rows.ts";

export const requestRowColumns = [
  "id",
  "hook",
  "came",
  "outcome",
  "reason",
  "credential",
  "about",
  "body",
  "replay_of",
] as const;

/** What came of a request, and what it led to. */
export type RequestEnd = {
  outcome: RequestOutcome;
  reason: string | null;
  runIds: readonly string[];
  eventIds: readonly string[];
};

export const toRequestRow = (request: NewRequest, end: RequestEnd): Value[] => {
  const { arrival, mapping, decision } = request;
  const { outcome, reason, runIds, eventIds } = end;
  return [
    request.id,
    request.hook,
    request.origin,
    outcome,
    encode(reason ?? ""),
    request.credential,
    encode({ arrival, mapping, decision, runIds, eventIds }),
    request.body && packBody(request.body),
    request.replayOf,
  ];
};

export const toUnusedRow = ({ request, outcome, reason }: UnusedRequest): Value[] =>
  toRequestRow(request, { outcome, reason, runIds: [], eventIds: [] });

/** `requests` are rows of `toRequestRow`. */
export function insertRequests(
  dialect: Dialect,
  { requests, now }: { requests: readonly (readonly Value[])[]; now: number | null },
): Query<void> {
  if (requests.length === 0) return nothing;
  return command({
    sql: `insert into request(id, hook, origin, outcome, reason, credential, about, body, replay_of, created_at)
      ${dialect.stored(requestRowColumns, 1, `item.id, item.hook, item.came, item.outcome, item.reason, item.credential, item.about, item.body, item.replay_of, ${dialect.timeOf("$1")}`)}`,
    values: [now],
    rows: { columns: requestRowColumns, items: requests },
  });
}

export function* findRequest(_dialect: Dialect, { id }: { id: string }): Program<RequestRecord | null> {
  const [row] = yield { sql: `select ${requestColumns} from request where id = $1`, values: [id] };
  return row ? toRequest(row) : null;
}

export function* requestBody(_dialect: Dialect, { id }: { id: string }): Program<Uint8Array | null> {
  const [row] = yield { sql: "select body from request where id = $1", values: [id] };
  const stored = row?.["body"];
  return stored == null ? null : unpackBody(String(stored));
}

const replayColumns = ["id"] as const;

/** The replays of these requests. */
export function* findReplays(dialect: Dialect, { ids }: { ids: readonly string[] }): Program<Replay[]> {
  const rows = yield {
    sql: `select request.id, request.replay_of, request.outcome
      from ${dialect.rows(replayColumns, 0)} join request on request.replay_of = item.id`,
    values: [],
    rows: { columns: replayColumns, items: ids.map((id) => [id]) },
  };
  return rows.map((row) => ({
    id: String(row["id"]),
    replayOf: String(row["replay_of"]),
    outcome: String(row["outcome"]) as RequestOutcome,
  }));
}

export function* recordRequests(
  dialect: Dialect,
  { requests, now }: { requests: readonly (readonly Value[])[]; now: number },
): Program<void> {
  yield* ask(insertRequests(dialect, { requests, now }));
}
