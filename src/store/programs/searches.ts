// What can be searched for in each table, and the indexes that lead to it. What has no index is found in windows.
import type { Delivery } from "../../core/delivery.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Run } from "../../core/run.ts";
import type { SystemEvent } from "../../core/system-event.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program, Row, Statement } from "../driver/program.ts";
import type {
  DeliverySearch,
  EventSearch,
  Found,
  RequestSearch,
  RunSearch,
  Search,
} from "../ports/search.ts";
import { deliveryColumns } from "./deliveries.ts";
import { eventColumns, shownDelivery, shownEvent, shownRun } from "./lists.ts";
import { encode, requestColumns, runColumns, toRequest } from "./rows.ts";
import {
  andAll,
  type Condition,
  type PageSearch,
  type Path,
  searchPage,
  type Source,
  statement,
} from "./search.ts";

type Listed = readonly string[] | undefined;

const isGiven = (list: Listed): list is readonly string[] => list !== undefined && list.length > 0;

/** PostgreSQL takes no NUL and no lone surrogate in a text; what has one is no name that we store. */
export const isOneOf = (dialect: Dialect, column: string, list: Listed): Condition[] => {
  if (!isGiven(list)) return [];
  const texts = JSON.stringify(list.filter(isStorable));
  return [(bind) => dialect.isOneOf(column, bind(texts))];
};

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

const isEqual = (column: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [(bind) => `${column} = ${bind(value)}`];

/** Stored as JSON. */
const isText = (column: string, value: string | undefined): Condition[] =>
  isEqual(column, value === undefined ? undefined : encode(value));

/** `+ 0`: in a form for which no index of the table is used. */
export const atTime = ({ since, until }: Pick<Search, "since" | "until">): Condition[] => [
  ...(since === undefined ? [] : [((bind) => `created_at + 0 >= ${bind(since)}`) satisfies Condition]),
  ...(until === undefined ? [] : [((bind) => `created_at + 0 < ${bind(until)}`) satisfies Condition]),
];

const beginsWith = (id: string | undefined): Condition[] =>
  id === undefined ? [] : [(bind) => `substr(id, 1, ${id.length}) = ${bind(id)}`];

/** Ids have digits, letters up to f, and dashes: `z` is behind all of them in every order of a database. */
export const idRange =
  (id: string): Condition =>
  (bind) =>
    `id >= ${bind(id)} and id < ${bind(`${id}z`)}`;

const few = (where: string | Condition): Source => ({
  order: "few",
  where: typeof where === "string" ? () => where : where,
});
const ordered = (where: Condition): Source => ({ order: "ordered", where });

const pathOfId = (id: string | undefined): Path[] => (id === undefined ? [] : [[few(idRange(id))]]);

/** One source for each value; more values than this are not worth as many statements. */
const mostSources = 20;
const pathOfEach = (list: Listed, source: (value: string) => Source): Path[] =>
  isGiven(list) && list.length <= mostSources ? [[...new Set(list.filter(isStorable))].map(source)] : [];

const lowered = <S extends { id?: string }>(search: S): S =>
  search.id === undefined ? search : { ...search, id: search.id.toLowerCase() };

const common = (search: Omit<Search, "hooks">) => ({
  limit: search.limit,
  before: search.before,
  since: search.since ?? null,
  until: search.until ?? null,
});

export function searchEvents(dialect: Dialect, input: EventSearch): Program<Found<SystemEvent>> {
  const search = lowered(input);
  const statuses = isGiven(search.statuses) ? search.statuses : ["waiting", "shown"];
  const isWaiting = statuses.includes("waiting");
  const isShown = statuses.includes("shown");
  return searchPage({
    ...common(search),
    table: "event",
    columns: eventColumns,
    toItem: shownEvent,
    conditions: [
      ...beginsWith(search.id),
      ...atTime(search),
      ...isOneOf(dialect, "hook", search.hooks),
      ...(isWaiting && isShown ? [] : [() => whetherShown(isWaiting, isShown)]),
    ],
    paths: [...pathOfId(search.id), ...(isShown ? [] : [[few("shown_at is null")]])],
  });
}

const whetherShown = (isWaiting: boolean, isShown: boolean): string => {
  if (isWaiting) return "shown_at + 0 is null";
  return isShown ? "shown_at + 0 is not null" : "1 = 0";
};

const troubledDeliveries = ["failed", "unknown"];

export function searchDeliveries(dialect: Dialect, input: DeliverySearch): Program<Found<Delivery>> {
  const search = lowered(input);
  const { runId, statuses } = search;
  return searchPage({
    ...common(search),
    table: "delivery",
    columns: deliveryColumns,
    toItem: shownDelivery,
    conditions: [
      ...beginsWith(search.id),
      ...atTime(search),
      ...isOneOf(dialect, "status", statuses),
      ...isOneOf(dialect, "channel", search.channels),
      ...isEqual("run_id || ''", runId),
    ],
    paths: [
      ...pathOfId(search.id),
      ...(runId === undefined ? [] : [[few((bind) => `run_id = ${bind(runId)}`)]]),
      ...pathOfDeliveryStatuses(statuses),
    ],
  });
}

function pathOfDeliveryStatuses(statuses: Listed): Path[] {
  if (!isGiven(statuses)) return [];
  const isFound = (status: string) => status === "waiting" || troubledDeliveries.includes(status);
  if (!statuses.every(isFound)) return [];
  const troubled = statuses.filter((status) => troubledDeliveries.includes(status));
  return [
    [
      ...troubled.map((status) =>
        ordered((bind) => `status in ('failed', 'unknown') and status = ${bind(status)}`),
      ),
      ...(statuses.includes("waiting") ? [few("status = 'waiting'")] : []),
    ],
  ];
}

const endedBadly = ["failed", "timed-out", "cancelled"];
const open = ["queued", "running", "parked"];

/** Runs that went well have no index. */
function pathOfRunStatuses(statuses: readonly string[]): Path[] {
  if (!statuses.every((status) => endedBadly.includes(status) || open.includes(status))) return [];
  const troubled = endedBadly.filter((status) => statuses.includes(status));
  const isTaken = statuses.includes("running") || statuses.includes("parked");
  return [
    [
      ...troubled.map((status) =>
        ordered((bind) => `status in ('failed', 'timed-out', 'cancelled') and status = ${bind(status)}`),
      ),
      // The heads of lanes, those that run or are parked included, and what waits behind them.
      ...(statuses.includes("queued")
        ? [few("head > 0 and kind in ('hook', 'heartbeat')"), few("head = 0 and status = 'queued'")]
        : isTaken
          ? [few("status in ('running', 'parked')")]
          : []),
    ],
  ];
}

const isOnlyHeartbeats = (kinds: Listed): boolean =>
  isGiven(kinds) && kinds.every((kind) => kind === "heartbeat");

function runPage(dialect: Dialect, search: RunSearch): PageSearch<Run> {
  const { statuses, error } = search;
  return {
    ...common(search),
    table: "run",
    columns: runColumns,
    toItem: shownRun,
    conditions: [
      ...beginsWith(search.id),
      ...atTime(search),
      ...isOneOf(dialect, "status", statuses),
      ...isOneOf(dialect, "kind", search.kinds),
      ...isOneOf(dialect, "hook", search.hooks),
      ...isOneOf(dialect, "agent_id", search.agents),
      ...isOneOf(dialect, "session_key", search.sessions),
      ...isText("error", error),
    ],
    paths: [
      ...pathOfId(search.id),
      ...(isGiven(statuses) ? pathOfRunStatuses(statuses) : []),
      ...(isOnlyHeartbeats(search.kinds) ? [[ordered(() => "kind = 'heartbeat'")]] : []),
      // A run that went well has no error.
      ...(error === undefined || isGiven(statuses) ? [] : pathOfRunStatuses([...endedBadly, ...open])),
    ],
  };
}

export const searchRuns = (dialect: Dialect, search: RunSearch): Program<Found<Run>> =>
  searchPage(runPage(dialect, lowered(search)));

const requestConditions = (dialect: Dialect, search: RequestSearch): Condition[] => [
  ...beginsWith(search.id),
  ...atTime(search),
  ...isOneOf(dialect, "hook || ''", search.hooks),
  ...isOneOf(dialect, "outcome", search.outcomes),
  ...isText("reason", search.reason),
];

export function searchRequests(dialect: Dialect, input: RequestSearch): Program<Found<RequestRecord>> {
  const search = lowered(input);
  if (isGiven(search.statuses)) return searchByRuns(dialect, search);
  const { outcomes, hooks } = search;
  // Only what led to nothing has an index by outcome.
  const isIndexed = isGiven(outcomes) && !outcomes.includes("accepted");
  return searchPage({
    ...common(search),
    table: "request",
    columns: requestColumns,
    toItem: toRequest,
    conditions: requestConditions(dialect, search),
    paths: [
      ...pathOfId(search.id),
      ...pathOfEach(hooks, (hook) => ordered((bind) => `hook = ${bind(hook)}`)),
      ...pathOfEach(isIndexed ? outcomes : undefined, (outcome) =>
        ordered((bind) => `outcome <> 'accepted' and outcome = ${bind(outcome)}`),
      ),
    ],
  });
}

/** Requests in the order of the runs that they led to. One with several such runs stands where its newest is. */
function* searchByRuns(dialect: Dialect, search: RequestSearch): Program<Found<RequestRecord>> {
  const { outcomes: _outcomes, reason: _reason, id: _id, ...wanted } = search;
  const ofRun = runPage(dialect, wanted);
  const { items, next } = yield* searchPage({
    ...ofRun,
    columns: "seq, id, request_id",
    toItem: (row) => ({ id: String(row["id"]), requestId: String(row["request_id"]) }),
    conditions: [...ofRun.conditions, () => "request_id is not null"],
  });
  const requests = yield* requestsOf(
    dialect,
    items.map(({ requestId }) => requestId),
    search,
  );
  const newest = yield* newestOf(dialect, requests, wanted.statuses ?? []);
  const found = items.flatMap(({ id, requestId }) => {
    const request = requests.get(requestId);
    if (!request || (newest.get(requestId) ?? id) !== id) return [];
    requests.delete(requestId);
    return [request];
  });
  return { items: found, next };
}

const wantedColumn = ["wanted"] as const;
const wantedRows = (ids: readonly string[]) => ({
  columns: wantedColumn,
  items: [...new Set(ids)].map((id) => [id]),
});

function* requestsOf(
  dialect: Dialect,
  ids: readonly string[],
  search: RequestSearch,
): Program<Map<string, RequestRecord>> {
  const { sql, values } = statement(
    (bind) => `request.id = item.wanted${andAll(requestConditions(dialect, search), bind)}`,
  );
  const rows = yield* byIds({
    sql: `select ${requestColumns} from request, ${dialect.rows(wantedColumn, values.length)} where ${sql}`,
    values,
    rows: wantedRows(ids),
  });
  return new Map(rows.map(toRequest).map((request) => [request.id, request]));
}

function* byIds(wanted: Statement & Required<Pick<Statement, "rows">>): Program<Row[]> {
  return wanted.rows.items.length === 0 ? [] : yield wanted;
}

/** Of a request with more runs than this, the first ones are not compared. */
const mostCompared = 200;

/** The newest run of each request with one of these statuses, among those that the request itself led to. */
function* newestOf(
  dialect: Dialect,
  requests: ReadonlyMap<string, RequestRecord>,
  statuses: readonly string[],
): Program<Map<string, string>> {
  const several = [...requests.values()].filter(({ runIds }) => runIds.length > 1);
  const rows = yield* byIds({
    sql: `select seq, id, request_id, status from run, ${dialect.rows(wantedColumn, 0)} where run.id = item.wanted`,
    values: [],
    rows: wantedRows(several.flatMap(({ runIds }) => runIds.slice(-mostCompared))),
  });
  const matching = rows.filter((row) => statuses.includes(String(row["status"])));
  const inOrder = matching.toSorted((a, b) => Number(a["seq"]) - Number(b["seq"]));
  return new Map(inOrder.map((row) => [String(row["request_id"]), String(row["id"])]));
}
