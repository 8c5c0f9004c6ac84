// Kept requests: what came in, how it was decided, and what it led to.
import type {
  Acceptance,
  Effects,
  NewRequest,
  Repeated,
  Replay,
  RequestOutcome,
  RequestRecord,
  UnusedRequest,
} from "../../core/request.ts";
import { repeatedRequest } from "../../core/request.ts";
import type { Dialect } from "../driver/dialect.ts";
import { ask, command, nothing, type Program, type Query, type Value } from "../driver/program.ts";
import { packBody, unpackBody } from "./bodies.ts";
import { encode, type RequestAbout, requestColumns, toRequest } from "./rows.ts";

/** Apart from the columns of runs and events, so that one statement can take both. */
export const requestRowColumns = [
  "kept_id",
  "kept_hook",
  "kept_came",
  "kept_outcome",
  "kept_reason",
  "kept_credential",
  "kept_about",
  "kept_body",
  "kept_replay_of",
] as const;

/** A row of `requestRowColumns`. */
export type RequestRow = readonly Value[];

/** What came of a request, and what it led to. */
export type RequestEnd = Effects & { outcome: RequestOutcome; reason: string | null };

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
    encode({ arrival, mapping, decision, runIds, eventIds } satisfies RequestAbout),
    request.body && packBody(request.body),
    request.replayOf,
  ];
};

const noEffects: Effects = { runIds: [], eventIds: [] };

export const toUnusedRow = ({ request, outcome, reason, first }: UnusedRequest): Value[] =>
  toRequestRow(request, { outcome, reason, ...(first ?? noEffects) });

/** Null where the request is not kept. */
export function toAcceptedRow({ request, runs, events, nothing: led }: Acceptance): Value[] | null {
  if (request === null) return null;
  if (led) return toUnusedRow({ request, ...led });
  const runIds = runs.map(({ id }) => id);
  const eventIds = events.map(({ id }) => id);
  return toRequestRow(request, { outcome: "accepted", reason: null, runIds, eventIds });
}

const outcomeAt = requestRowColumns.indexOf("kept_outcome");
const reasonAt = requestRowColumns.indexOf("kept_reason");
const aboutAt = requestRowColumns.indexOf("kept_about");

/** The row of a request that was packed as accepted, and turns out to be a repeated one. */
export function asRepeated(row: RequestRow, first: Repeated): Value[] {
  const about = JSON.parse(String(row[aboutAt])) as RequestAbout;
  const { outcome, reason, first: effects } = repeatedRequest(first);
  const repeated = [...row];
  repeated[outcomeAt] = outcome;
  repeated[reasonAt] = encode(reason ?? "");
  repeated[aboutAt] = encode({ ...about, ...(effects ?? noEffects) });
  return repeated;
}

const storedColumns = "id, hook, origin, outcome, reason, credential, about, body, replay_of, created_at";
const storedValues = (item: string, now: string): string =>
  `${requestRowColumns.map((column) => `${item}.${column}`).join(", ")}, ${now}`;

export function insertRequests(
  dialect: Dialect,
  { requests, now }: { requests: readonly RequestRow[]; now: number | null },
): Query<void> {
  if (requests.length === 0) return nothing;
  return command({
    sql: `insert into request(${storedColumns})
      ${dialect.stored(requestRowColumns, 1, storedValues("item", dialect.timeOf("$1")))}`,
    values: [now],
    rows: { columns: requestRowColumns, items: requests },
  });
}

/** An insert of requests, as a part of a statement: `source` has the rows of `withRequests`. */
export const insertRequestsFrom = (source: string, condition: string, now: string): string =>
  `insert into request(${storedColumns})
    select ${storedValues(source, now)} from ${source} where ${source}.kept_id is not null and ${condition}`;

/** Null: the row beside it has no request. */
export type RequestRows = readonly (RequestRow | null)[];

const noRequest: RequestRow = requestRowColumns.map(() => null);

/** Rows of runs or events, each with its request. */
export const withRequests = (rows: readonly (readonly Value[])[], requests: RequestRows): Value[][] =>
  rows.map((row, at) => [...row, ...(requests[at] ?? noRequest)]);

export const keptOf = (requests: RequestRows): RequestRow[] => requests.filter((row) => row !== null);

export const areKept = (requests: RequestRows): boolean => requests.some((row) => row !== null);

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
  { requests, now }: { requests: readonly RequestRow[]; now: number },
): Program<void> {
  yield* ask(insertRequests(dialect, { requests, now }));
}
