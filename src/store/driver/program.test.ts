import assert from "node:assert/strict";
import { test } from "node:test";
import { postgresDialect, sqliteDialect, type Dialect } from "./dialect.ts";
import {
  ask,
  batch,
  finalBatch,
  inside,
  interleave,
  queries,
  rowsFor,
  statementsOf,
  type Program,
  type Query,
  type Row,
  type Statement,
} from "./program.ts";

const statement = (sql: string): Statement => ({ sql, values: [] });

/** Yields a statement for each word, and returns the rows. */
function* words(...all: string[]): Program<string[]> {
  const heard: string[] = [];
  for (const word of all) heard.push(...(yield statement(word)).map((row) => String(row["echo"])));
  return heard;
}

function* pair(...all: string[]): Program<string[]> {
  const rows = yield* batch(all.map(statement));
  return rows.map(([row]) => String(row!["echo"]));
}

const query = (...all: string[]): Query<string[]> => ({
  statements: all.map(statement),
  toResult: (rows) => rows.map(([row]) => String(row!["echo"])),
});

const echo = ({ sql }: Statement): Row[] => [{ echo: sql }];

/** Every statement returns its own text. `trips` lists what each round trip carried. */
function play<T>(program: Program<T>): { result: T; trips: string[] } {
  const trips: string[] = [];
  let step = program.next([]);
  while (!step.done) {
    const statements = statementsOf(step.value);
    trips.push(statements.map(({ sql }) => sql).join(" "));
    step = program.next(rowsFor(step.value, statements.map(echo)));
  }
  return { result: step.value, trips };
}

const both = (dialect: Dialect) =>
  interleave(dialect, [words("a", "b", "c"), words(), pair("x", "y"), words("z")]);
const result = [["a", "b", "c"], [], ["x", "y"], ["z"]];

test("interleaved programs share round trips in order, and each gets its own rows", () => {
  const played = play(both(postgresDialect));
  assert.deepEqual(played.result, result);
  assert.deepEqual(played.trips, ["a x y z", "b", "c"]);
});

test("a single writer runs them one by one", () => {
  const played = play(both(sqliteDialect));
  assert.deepEqual(played.result, result);
  assert.deepEqual(played.trips, ["a", "b", "c", "x y", "z"]);
});

test("queries become one batch, also queries inside queries, and each gets its own rows", () => {
  const played = play(ask(queries([query("a"), queries([query(), query("x", "y")]), query("z")])));
  assert.deepEqual(played.result, [["a"], [[], ["x", "y"]], ["z"]]);
  assert.deepEqual(played.trips, ["a x y z"]);
});

test("a final batch inside another program returns its result", () => {
  const last = query("x", "y");
  const program = function* () {
    const heard = yield* words("a");
    return finalBatch(last.statements, (rows) => [...heard, ...last.toResult(rows)]);
  };
  const played = play(inside(program()));
  assert.deepEqual(played.result, ["a", "x", "y"]);
  assert.deepEqual(played.trips, ["a", "x y"]);
});

test("an empty batch costs no round trip", () => {
  assert.deepEqual(play(interleave(postgresDialect, [words(), words()])).trips, []);
  assert.deepEqual(play(ask(query())).trips, []);
});
