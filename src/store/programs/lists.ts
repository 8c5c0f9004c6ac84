// What is there: lists newest first, one record by its id, the events that wait.
import type { Delivery } from "../../core/delivery.ts";
import type { Run } from "../../core/run.ts";
import type { SystemEvent, WaitingEvents } from "../../core/system-event.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program, Row, Value } from "../driver/program.ts";
import type { RequestRecord } from "../../core/request.ts";
import { deliveryColumns } from "./deliveries.ts";
import type { UnreadableRow } from "../../core/unreadable.ts";
import { readEach } from "./shapes.ts";
import { requestColumns, shownRunColumns, toDelivery, toEvent, toRequest, toRun } from "./rows.ts";

export const eventColumns = "seq, id, session_key, source, hook, text, request_id, created_at, shown_at";

export const shownRun = (row: Row): Run => toRun(row, "show");
export const shownEvent = (row: Row): SystemEvent => toEvent(row, "show");
export const shownDelivery = (row: Row): Delivery => toDelivery(row, "show");

/** One page of the rows below the sequence number `before`; null: from the newest. */
export type PageInput = { limit: number; before: number | null };
export type PageResult<T> = { items: T[]; last: number | null };

function* page<T>(
  sql: { columns: string; table: string; where: string; values: readonly Value[] },
  { limit, before }: PageInput,
  toItem: (row: Row) => T,
): Program<PageResult<T>> {
  const at = sql.values.length;
  const rows = yield {
    sql: `select ${sql.columns} from ${sql.table} where ${sql.where} seq < $${at + 1} order by seq desc limit $${at + 2}`,
    values: [...sql.values, before ?? Number.MAX_SAFE_INTEGER, limit],
  };
  const last = rows.length === limit ? Number(rows.at(-1)?.["seq"]) : null;
  return { items: rows.map(toItem), last };
}

export const listEvents = (_dialect: Dialect, input: PageInput): Program<PageResult<SystemEvent>> =>
  page({ columns: eventColumns, table: "event", where: "", values: [] }, input, shownEvent);

export const listDeliveries = (
  _dialect: Dialect,
  input: PageInput & { runId: string | null },
): Program<PageResult<Delivery>> =>
  page(
    input.runId === null
      ? { columns: deliveryColumns, table: "delivery", where: "", values: [] }
      : { columns: deliveryColumns, table: "delivery", where: "run_id = $1 and", values: [input.runId] },
    input,
    shownDelivery,
  );

export const listRequests = (_dialect: Dialect, input: PageInput): Program<PageResult<RequestRecord>> =>
  page(
    {
      columns: requestColumns,
      table: "request",
      where: "",
      values: [],
    },
    input,
    toRequest,
  );

function* find<T>(table: string, columns: string, id: string, toItem: (row: Row) => T): Program<T | null> {
  const [row] = yield { sql: `select ${columns} from ${table} where id = $1`, values: [id] };
  return row ? toItem(row) : null;
}

type ById = { id: string };
export const findRun = (_dialect: Dialect, { id }: ById): Program<Run | null> =>
  find("run", shownRunColumns, id, shownRun);
export const findEvent = (_dialect: Dialect, { id }: ById): Program<SystemEvent | null> =>
  find("event", eventColumns, id, shownEvent);
export function* findSummary(_dialect: Dialect, input: { runId: string }): Program<SystemEvent | null> {
  const [row] = yield { sql: `select ${eventColumns} from event where run_id = $1`, values: [input.runId] };
  return row ? shownEvent(row) : null;
}
export const findDelivery = (_dialect: Dialect, { id }: ById): Program<Delivery | null> =>
  find("delivery", deliveryColumns, id, shownDelivery);

export type WaitingInput = { sessionKey: string; limit: number; mostBytes: number };

/** Reads the sizes first, which are in the index, and then only the events that fit. */
export function* waitingEvents(
  _dialect: Dialect,
  input: WaitingInput,
): Program<{ events: SystemEvent[]; unreadable: UnreadableRow[] }> {
  const waiting = "from event where session_key = $1 and shown_at is null order by -seq desc limit $2";
  const sizes = yield {
    sql: `select coalesce(bytes, octet_length(text)) as bytes ${waiting}`,
    values: [input.sessionKey, input.limit],
  };
  const rows = yield {
    sql: `select ${eventColumns} ${waiting}`,
    values: [input.sessionKey, countUpTo(input.mostBytes, sizes)],
  };
  const { items, unreadable } = readEach(rows, (row) => toEvent(row));
  return {
    events: items,
    unreadable: unreadable.map(({ row, reason }) => ({ table: "event", id: String(row["id"]), reason })),
  };
}

/** The event that crosses the limit is included. */
function countUpTo(mostBytes: number, sizes: readonly Row[]): number {
  let bytes = 0;
  const crossing = sizes.findIndex((row) => (bytes += Number(row["bytes"])) >= mostBytes);
  return crossing === -1 ? sizes.length : crossing + 1;
}

export function* countWaitingEvents(_dialect: Dialect, _input: null): Program<WaitingEvents> {
  const [row] = yield {
    sql: "select count(*) as count, cast(coalesce(sum(bytes), 0) as bigint) as bytes from event where shown_at is null",
    values: [],
  };
  return { count: Number(row?.["count"]), bytes: Number(row?.["bytes"]) };
}

export function* markEvent(
  _dialect: Dialect,
  input: { id: string; waiting: boolean; now: number },
): Program<boolean> {
  const rows = yield {
    sql: "update event set shown_at = cast($2 as bigint) where id = $1 returning id",
    values: [input.id, input.waiting ? null : input.now],
  };
  return rows.length > 0;
}
