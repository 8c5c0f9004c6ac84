// Programs and their parts. A program is a generator that yields statements and gets their rows; it knows nothing of
// threads, connections or transactions. The same programs run synchronously in SQLite's writer thread and asynchronously
// on a PostgreSQL connection. Statements that do not need each other's rows are yielded as one batch, which is one round
// trip to PostgreSQL.
import type { Dialect } from "./dialect.ts";

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/**
 * With `rows`, the statement applies to each of their items; `sql` then takes their columns from the dialect's `rows`,
 * `stored` or `given`. SQLite runs it for each item, at half the cost of parsing JSON; PostgreSQL runs it once for all.
 */
export type Statement = { sql: string; values: readonly Value[]; rows?: Rows };
export type Rows = { columns: readonly string[]; items: readonly (readonly Value[])[] };
/** Run in their order. */
export type Batch = { statements: readonly Statement[] };
export type Step = Statement | Batch;
export type Program<T> = Generator<Step, T, Row[]>;

export const statementsOf = (step: Step): readonly Statement[] =>
  "statements" in step ? step.statements : [step];

/** What a program receives for its step: the rows of each statement of a batch, or those of the one statement. */
export const rowsFor = (step: Step, rows: readonly Row[][]): Row[] =>
  "statements" in step ? (rows as unknown as Row[]) : rows[0]!;

/** Statements in their order, in one round trip. */
export function* batch(statements: readonly Statement[]): Program<Row[][]> {
  if (statements.length === 0) return [];
  return (yield { statements }) as unknown as Row[][];
}

/** Statements and what their rows mean: a step of a program, before it is known whether it is the last one. */
export type Query<T> = { statements: readonly Statement[]; toResult(rows: readonly Row[][]): T };

export function* ask<T>({ statements, toResult }: Query<T>): Program<T> {
  return toResult(yield* batch(statements));
}

/** A statement whose rows nobody needs. */
export const command = (statement: Statement): Query<void> => ({
  statements: [statement],
  toResult: () => {},
});

/** No statement at all. */
export const nothing: Query<void> = { statements: [], toResult: () => {} };

type QueryResults<Queries> = { [Key in keyof Queries]: Queries[Key] extends Query<infer T> ? T : never };

/** Queries that do not need each other's results, as one. */
export const queries = <const Queries extends readonly Query<unknown>[]>(
  all: Queries,
): Query<QueryResults<Queries>> => ({
  statements: all.flatMap(({ statements }) => statements),
  toResult(rows) {
    let from = 0;
    const results = all.map(({ statements, toResult }) =>
      toResult(rows.slice(from, (from += statements.length))),
    );
    return results as QueryResults<Queries>;
  },
});

/** The last statements of a program, whose commit can travel with them. */
export class FinalBatch<T> {
  readonly statements: readonly Statement[];
  readonly toResult: (rows: readonly Row[][]) => T;
  constructor(statements: readonly Statement[], toResult: (rows: readonly Row[][]) => T) {
    this.statements = statements;
    this.toResult = toResult;
  }
}

/** A program returns it, and so cannot go on after its last statements. */
export const finalBatch = <T>(
  statements: readonly Statement[],
  toResult: (rows: readonly Row[][]) => T,
): FinalBatch<T> => new FinalBatch(statements, toResult);

/** A program that may end with a final batch. */
export type Transaction<T> = Generator<Step, T | FinalBatch<T>, Row[]>;

/** Runs a transaction as part of another program. */
export function* inside<T>(transaction: Transaction<T>): Program<T> {
  const end = yield* transaction;
  return end instanceof FinalBatch ? yield* ask(end) : end;
}

type Results<Programs> = { [Key in keyof Programs]: Programs[Key] extends Program<infer T> ? T : never };

/**
 * Programs that do not need each other's results, their steps side by side in shared batches. A single writer has no
 * round trips to save and runs them one by one.
 */
export function* interleave<const Programs extends readonly Program<unknown>[]>(
  dialect: Pick<Dialect, "concurrent">,
  programs: Programs,
): Program<Results<Programs>> {
  const results: unknown[] = [];
  if (!dialect.concurrent) {
    for (const program of programs) results.push(yield* program);
    return results as Results<Programs>;
  }
  const received = programs.map((): Row[] => []);
  let going = programs.map((program, at) => ({ program, at }));
  for (;;) {
    const steps = going.flatMap(({ program, at }) => {
      const { done, value } = program.next(received[at]!);
      if (done === true) results[at] = value;
      return done === true ? [] : [{ program, at, step: value, statements: statementsOf(value) }];
    });
    if (steps.length === 0) return results as Results<Programs>;
    const rows = yield* batch(steps.flatMap(({ statements }) => statements));
    let from = 0;
    for (const { at, step, statements } of steps) {
      received[at] = rowsFor(step, rows.slice(from, from + statements.length));
      from += statements.length;
    }
    going = steps;
  }
}

/** Thrown by a program to roll back and rerun its transaction. */
export class RestartTransaction extends Error {}

/**
 * One transaction, or one read. A transaction's `now` comes from the driver: on PostgreSQL it is the database's
 * own time, so that nodes whose clocks differ agree on leases.
 */
export type Driver<Programs> = {
  run<Name extends keyof Programs>(
    name: Name,
    input: Timeless<InputOf<Programs[Name]>>,
  ): Promise<ResultOf<Programs[Name]>>;
  close(): Promise<void>;
};

type Timeless<Input> = Input extends { now: number | null } ? Omit<Input, "now" | "leasesBy"> : Input;

export const atTime = (input: unknown, now: number | null): unknown =>
  typeof input === "object" && input !== null ? { ...input, now } : input;

// oxlint-disable-next-line typescript/no-explicit-any -- any program; each has its own type under its name
export type AnyProgram = (dialect: Dialect, input: any) => Transaction<unknown>;
export type InputOf<P> = P extends (dialect: Dialect, input: infer I) => unknown ? I : never;
export type ResultOf<P> = P extends (dialect: Dialect, input: never) => Transaction<infer R> ? R : never;
