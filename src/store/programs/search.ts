// One page of a search. It reads a bounded number of rows, whatever is stored: those that the most selective of its
// paths leads to, or a window of the newest rows behind its position.
import { largest } from "../../core/largest.ts";
import { batch, type Program, type Row, type Statement, type Value } from "../driver/program.ts";
import type { Found } from "../ports/search.ts";

/** How many rows a page looks at, at most. */
export const mostScanned = 2000;
/** Every seq is below it. */
const endOfTable = Number.MAX_SAFE_INTEGER;

export type Table = "request" | "run" | "event" | "delivery" | "audit";

/** Adds a value to a statement, and returns its placeholder. */
export type Bind = (value: Value) => string;
export type Condition = (bind: Bind) => string;

/**
 * A part of a table that an index leads to. `ordered`: the index has its rows in the order of `seq + 0`. `few`: it has
 * another order, so that the part can be used only while it has few rows.
 */
export type Source = { order: "ordered" | "few"; where: Condition };

/** Sources that together have all rows that a search can find. */
export type Path = readonly Source[];

export type PageSearch<T> = {
  table: Table;
  columns: string;
  toItem: (row: Row) => T;
  limit: number;
  before: number | null;
  since: number | null;
  until: number | null;
  /** All that rows have to meet. In a form that no index can be searched for: the planner must not leave the path. */
  conditions: readonly Condition[];
  paths: readonly Path[];
};

/** Seqs from `from` on, and below `before`. */
export type Range = { from: number; before: number };
type PageRows = { rows: Row[]; next: number | null };

export function* searchPage<T>(search: PageSearch<T>): Program<Found<T>> {
  const range = yield* rangeOf(search);
  const chosen = yield* choosePath(search, range);
  const { rows, next } = chosen ? yield* readPath(search, chosen) : yield* readWindow(search, range);
  return { items: rows.map(search.toItem), next };
}

const seqOf = (row: Row): number => Number(row["seq"]);

export function statement(build: (bind: Bind) => string): Statement {
  const values: Value[] = [];
  const sql = build((value) => `$${values.push(value)}`);
  return { sql, values };
}

export const andAll = (conditions: readonly Condition[], bind: Bind): string =>
  conditions.map((condition) => ` and ${condition(bind)}`).join("");

export type Mark = { seq: number; createdAt: number };

/** Whole numbers of rows lie between two marks, so that there is one for about a thousand rows. */
function* rangeOf({ table, before, since, until }: PageSearch<unknown>): Program<Range> {
  const all = { from: 0, before: before ?? endOfTable };
  if (since === null && until === null) return all;
  const rows = yield {
    sql: `select seq, created_at from ${table} where seq % 1024 = 0 and created_at + 0 >= $1`,
    values: [0],
  };
  const marks = rows.map((row) => ({ seq: seqOf(row), createdAt: Number(row["created_at"]) }));
  const range = rangeOfTime(marks, { since, until });
  return { from: range.from, before: Math.min(range.before, all.before) };
}

/**
 * Where rows of a time can be: from the mark before the first one of that time, to the mark behind the last one. Marks
 * are not in the order of time where a clock was set. What was stored while it was wrong is outside of the range only
 * where it is so little that it has no mark.
 */
export function rangeOfTime(
  marks: readonly Mark[],
  { since, until }: { since: number | null; until: number | null },
): Range {
  let first = endOfTable;
  let last = 0;
  for (const { seq, createdAt } of marks) {
    if (since !== null && createdAt >= since) first = Math.min(first, seq);
    if (until !== null && createdAt < until) last = Math.max(last, seq);
  }
  let from = 0;
  let before = endOfTable;
  for (const { seq } of marks) {
    if (since !== null && seq < first) from = Math.max(from, seq);
    if (until !== null && seq > last) before = Math.min(before, seq);
  }
  return { from, before };
}

/** The newest rows of the range, without any index but the key. */
function* readWindow(search: PageSearch<unknown>, { from, before }: Range): Program<PageRows> {
  const { table, columns, conditions, limit } = search;
  const [newest] = yield newestBelow(table, { from, before });
  if (!newest) return { rows: [], next: null };
  const top = seqOf(newest);
  const bottom = conditions.length === 0 ? from : Math.max(from, top - mostScanned + 1);
  const window = statement(
    (bind) =>
      `select ${columns} from ${table} where seq <= ${bind(top)} and seq >= ${bind(bottom)}${andAll(conditions, bind)}
        order by seq desc limit ${bind(limit + 1)}`,
  );
  const [rows, [below]] = (yield* batch([window, newestBelow(table, { from, before: bottom })])) as [
    Row[],
    Row[],
  ];
  return pageOf(rows, limit, below ? seqOf(below) + 1 : null);
}

/** `rows` has one more than the page where there are more; `otherwise`: where to go on if not. */
function pageOf(rows: readonly Row[], limit: number, otherwise: number | null): PageRows {
  if (rows.length <= limit) return { rows: [...rows], next: otherwise };
  const page = rows.slice(0, limit);
  return { rows: page, next: seqOf(page.at(-1)!) };
}

const newestBelow = (table: Table, { from, before }: Range): Statement => ({
  sql: `select seq from ${table} where seq < $1 and seq >= $2 order by seq desc limit 1`,
  values: [before, from],
});

type Chosen = { path: Path; range: Range; isWhole: boolean };

/**
 * The path that reaches back farthest within so many rows of an index. Null: there is none, or all of its parts that
 * should have few rows have many.
 */
function* choosePath(search: PageSearch<unknown>, range: Range): Program<Chosen | null> {
  const { paths, table } = search;
  if (paths.length === 0) return null;
  const probes = paths.flatMap((path) => path.map((source) => probe(table, source, range, path.length)));
  const found = yield* batch(probes);
  let at = 0;
  const chosen = paths.map((path): Chosen | null => {
    const bottoms = path.map((source) => bottomOf(source, found[at++]!, range));
    if (bottoms.includes(null)) return null;
    const from = Math.max(range.from, largest(bottoms as number[]));
    return { path, range: { ...range, from }, isWhole: from === range.from };
  });
  return chosen.reduce(
    (best, each) => (each && (!best || each.range.from < best.range.from) ? each : best),
    null,
  );
}

const sharePerSource = (sources: number): number => Math.ceil(mostScanned / sources);

const inRange = (bind: Bind, { from, before }: Range): string =>
  `seq + 0 < ${bind(before)} and seq + 0 >= ${bind(from)}`;

const probe = (table: Table, { order, where }: Source, range: Range, sources: number): Statement =>
  statement((bind) =>
    order === "ordered"
      ? `select seq from ${table} where ${where(bind)} and ${inRange(bind, range)}
          order by seq + 0 desc limit 1 offset ${bind(sharePerSource(sources) - 1)}`
      : `select count(*) as count from (select 1 as one from ${table} where ${where(bind)}
          limit ${bind(mostScanned + 1)}) as few`,
  );

/** How far back the source can be read; null: not at all. */
function bottomOf({ order }: Source, rows: readonly Row[], { from }: Range): number | null {
  const [row] = rows;
  if (order === "ordered") return row ? seqOf(row) : from;
  return Number(row?.["count"]) > mostScanned ? null : from;
}

function* readPath(search: PageSearch<unknown>, { path, range, isWhole }: Chosen): Program<PageRows> {
  const { table, columns, conditions, limit } = search;
  const parts = yield* batch(
    path.map(({ where }) =>
      statement(
        (bind) =>
          `select ${columns} from ${table} where ${where(bind)} and ${inRange(bind, range)}${andAll(conditions, bind)}
            order by seq + 0 desc limit ${bind(limit + 1)}`,
      ),
    ),
  );
  const bySeq = new Map(parts.flat().map((row) => [seqOf(row), row]));
  const rows = [...bySeq.values()].toSorted((a, b) => seqOf(b) - seqOf(a));
  return pageOf(rows, limit, isWhole ? null : range.from);
}
