import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerTo,
  inOrder,
  postgresDialect,
  sqliteDialect,
  statementsOf,
  together,
  type Dialect,
  type Program,
  type Row,
  type Statement,
} from "./program.ts";

const ask = (sql: string): Statement => ({ sql, values: [] });

/** Says each of its words alone, and answers what it heard. */
function* words(...all: string[]): Program<string[]> {
  const heard: string[] = [];
  for (const word of all) heard.push(...(yield ask(word)).map((row) => String(row["said"])));
  return heard;
}

function* pair(...all: string[]): Program<string[]> {
  const rows = yield* inOrder(all.map(ask));
  return rows.map(([row]) => String(row!["said"]));
}

/** Every statement is answered with its own text. Also tells what was asked in each trip. */
function play<T>(program: Program<T>): { result: T; trips: string[]; lasts: boolean[] } {
  const trips: string[] = [];
  const lasts: boolean[] = [];
  let step = program.next([]);
  while (!step.done) {
    const statements = statementsOf(step.value);
    trips.push(statements.map(({ sql }) => sql).join(" "));
    lasts.push("statements" in step.value && step.value.last);
    const rows = statements.map(({ sql }): Row[] => [{ said: sql }]);
    step = program.next(answerTo(step.value, rows));
  }
  return { result: step.value, trips, lasts };
}

const both = (dialect: Dialect) =>
  together(dialect, [words("a", "b", "c"), words(), pair("x", "y"), words("z")]);
const result = [["a", "b", "c"], [], ["x", "y"], ["z"]];

test("programs side by side share trips, in their order, and each gets its own rows", () => {
  const played = play(both(postgresDialect));
  assert.deepEqual(played.result, result);
  assert.deepEqual(played.trips, ["a x y z", "b", "c"]);
});

test("a single writer goes through them one by one", () => {
  const played = play(both(sqliteDialect));
  assert.deepEqual(played.result, result);
  assert.deepEqual(played.trips, ["a", "b", "c", "x y", "z"]);
});

test("the last statements are marked, also of programs inside programs", () => {
  const inner = together(postgresDialect, [words("a"), pair("x", "y")]);
  const played = play(together(postgresDialect, [inner, words("z")], { last: true }));
  assert.deepEqual(played.result, [[["a"], ["x", "y"]], ["z"]]);
  assert.deepEqual([played.trips, played.lasts], [["a x y z"], [true]]);
});

test("nothing to say is no trip", () => {
  assert.deepEqual(play(together(postgresDialect, [words(), words()])).trips, []);
});
