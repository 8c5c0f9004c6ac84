// How a database runs our programs. A program is a generator: it yields statements and gets their rows, and knows
// nothing of threads, connections or transactions. The same programs run synchronously in SQLite's writer thread
// and asynchronously on a PostgreSQL connection, so no statement is written twice. Statements that do not need each
// other's rows can be yielded together, which is one round trip where there are any.

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/**
 * With `rows`, the statement is done for each of their items; `sql` then takes their columns from the dialect's
 * `rows`, `stored` or `given`. SQLite binds row by row, which costs it half of what taking JSON apart does; PostgreSQL
 * gets all of them in one round trip.
 */
export type Statement = { sql: string; values: readonly Value[]; rows?: Rows };
export type Rows = { columns: readonly string[]; items: readonly (readonly Value[])[] };
/** In their order. After the last ones of a program comes only the commit, which can go with them. */
export type Batch = { statements: readonly Statement[]; last: boolean };
export type Step = Statement | Batch;
export type Program<T> = Generator<Step, T, Row[]>;

export const statementsOf = (step: Step): readonly Statement[] =>
  "statements" in step ? step.statements : [step];

/** What a program is given for its step: the rows of each statement of a batch, or those of the one. */
export const answerTo = (step: Step, rows: readonly Row[][]): Row[] =>
  "statements" in step ? (rows as unknown as Row[]) : rows[0]!;

function* batch(statements: readonly Statement[], last: boolean): Program<Row[][]> {
  return (yield { statements, last }) as unknown as Row[][];
}

type Results<Programs> = { [Key in keyof Programs]: Programs[Key] extends Program<infer T> ? T : never };

/**
 * Programs that do not need each other's results, statement beside statement, each batch in their order. A single
 * writer has no round trips to save and goes through them one by one. `last` when each has one step and nothing
 * follows.
 */
export function* together<const Programs extends readonly Program<unknown>[]>(
  dialect: Dialect,
  programs: Programs,
  { last = false } = {},
): Program<Results<Programs>> {
  const results: unknown[] = [];
  if (!dialect.concurrent) {
    for (const program of programs) results.push(yield* program);
    return results as Results<Programs>;
  }
  const answers = programs.map((): Row[] => []);
  let going = programs.map((program, at) => ({ program, at }));
  for (;;) {
    const steps = going.flatMap(({ program, at }) => {
      const { done, value } = program.next(answers[at]!);
      if (done === true) results[at] = value;
      return done === true ? [] : [{ program, at, step: value, statements: statementsOf(value) }];
    });
    if (steps.length === 0) return results as Results<Programs>;
    const rows = yield* batch(
      steps.flatMap(({ statements }) => statements),
      last,
    );
    let from = 0;
    for (const { at, step, statements } of steps) {
      answers[at] = answerTo(step, rows.slice(from, from + statements.length));
      from += statements.length;
    }
    going = steps;
  }
}

/** Statements in their order, in one batch. */
export const inOrder = (statements: readonly Statement[]): Program<Row[][]> => batch(statements, false);

/** What a program throws when its transaction has to be made again from its beginning, by now with another result. */
export class MadeAgain extends Error {}

/** The few words in which the two databases differ. */
export type Dialect = {
  name: "sqlite" | "postgres";
  /** A source `item` with these text columns, for a statement with `rows`; `after` values come before them. */
  rows(columns: readonly string[], after: number): string;
  /** What an insert stores for each item of `rows`: expressions, with its columns as `item.column`. */
  stored(columns: readonly string[], after: number, expressions: string): string;
  /** The same for an update: what follows its `set`, and how each column is called in it. */
  given<Column extends string>(columns: readonly Column[], after: number): Given<Column>;
  /** Whether others may change the database between our look at it and our change. */
  concurrent: boolean;
  forUpdate: string;
  forUpdateSkipLocked: string;
  forShare: string;
  /** The order in which rows are locked: by the bytes of the column, whatever the database's language. */
  lockOrder(column: string): string;
  /** A column that counts up, the only source of order. */
  sequence: string;
  /** The database's own time in milliseconds, as an expression. */
  time: string;
  /** The time that a placeholder holds; where it holds none, the database's own. */
  timeOf(placeholder: string): string;
  /** A query with one row when the table $1 is there, none otherwise. */
  hasTable: string;
};

/** The text of a statement that is used again and again, put together once for each dialect. */
export function writtenOnce(write: (dialect: Dialect) => string): (dialect: Dialect) => string {
  const texts = new Map<Dialect, string>();
  return (dialect) => {
    const known = texts.get(dialect);
    if (known !== undefined) return known;
    const text = write(dialect);
    texts.set(dialect, text);
    return text;
  };
}

export type Given<Column extends string> = { from: string; item: Readonly<Record<Column, string>> };

const givenFrom = <Column extends string>(
  columns: readonly Column[],
  from: string,
  nameOf: (column: Column, at: number) => string,
): Given<Column> => ({
  from,
  item: Object.fromEntries(
    columns.map((column, at) => [column, nameOf(column, at)]),
  ) as Given<Column>["item"],
});

export const sqliteDialect: Dialect = {
  name: "sqlite",
  rows: (columns, after) =>
    `(select ${columns.map((column, index) => `$${after + index + 1} as ${column}`).join(", ")}) as item`,
  // Not by a query: SQLite would put aside every page a row changes, in case a later row fails.
  stored: (columns, after, expressions) =>
    `values (${expressions.replaceAll(/\bitem\.(\w+)/g, (name, column: string) =>
      columns.includes(column) ? `$${after + columns.indexOf(column) + 1}` : name,
    )})`,
  // An update that joins makes a table of what it joins, which costs more than the update itself.
  given: (columns, after) => givenFrom(columns, "", (_, at) => `$${after + at + 1}`),
  concurrent: false,
  forUpdate: "",
  forUpdateSkipLocked: "",
  forShare: "",
  lockOrder: () => "",
  sequence: "integer primary key",
  time: "cast(unixepoch('subsec') * 1000 as integer)",
  timeOf: (placeholder) => placeholder,
  hasTable: "select 1 from sqlite_schema where type = 'table' and name = $1",
};

const milliseconds = (time: string): string => `cast(extract(epoch from ${time}) * 1000 as bigint)`;

const arrays = (columns: readonly string[], after: number): string[] =>
  columns.map((_, index) => `$${after + index + 1}::text[]`);

export const postgresDialect: Dialect = {
  name: "postgres",
  rows: (columns, after) => `unnest(${arrays(columns, after).join(", ")}) as item(${columns.join(", ")})`,
  // Each in the list of what is selected: unnested together behind "from", the rows would first be put aside.
  stored: (columns, after, expressions) => {
    const unnested = arrays(columns, after).map((array, at) => `unnest(${array}) as ${columns[at]}`);
    return `select ${expressions} from (select ${unnested.join(", ")}) as item`;
  },
  given: (columns, after) =>
    givenFrom(columns, `from ${postgresDialect.rows(columns, after)}`, (column) => `item.${column}`),
  concurrent: true,
  forUpdate: "for update",
  forUpdateSkipLocked: "for update skip locked",
  forShare: "for share",
  lockOrder: (column) => `order by ${column} collate "C"`,
  sequence: "bigint generated by default as identity primary key",
  time: milliseconds("clock_timestamp()"),
  // The time of the statement, which does not change while it runs: so it can be looked up in an index. Selected, it is
  // worked out once, and not for every row.
  timeOf: (placeholder) =>
    `(select coalesce(cast(${placeholder} as bigint), ${milliseconds("statement_timestamp()")}))`,
  hasTable: "select 1 from pg_tables where schemaname = current_schema() and tablename = $1",
};

/**
 * One whole transaction, or one read. A transaction's `now` comes from the driver: on PostgreSQL it is the database's
 * own time, so that nodes whose clocks differ agree on leases.
 */
export type Driver<Programs> = {
  run<Name extends keyof Programs>(
    name: Name,
    input: Timeless<InputOf<Programs[Name]>>,
  ): Promise<ResultOf<Programs[Name]>>;
  close(): Promise<void>;
};

type Timeless<Input> = Input extends { now: number | null } ? Omit<Input, "now"> : Input;

export const atTime = (input: unknown, now: number | null): unknown =>
  typeof input === "object" && input !== null ? { ...input, now } : input;

// oxlint-disable-next-line typescript/no-explicit-any -- any program at all; the names give each its own type
export type AnyProgram = (dialect: Dialect, input: any) => Program<unknown>;
export type InputOf<P> = P extends (dialect: Dialect, input: infer I) => unknown ? I : never;
export type ResultOf<P> = P extends (dialect: Dialect, input: never) => Program<infer R> ? R : never;
