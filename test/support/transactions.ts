// Connections on which a test plays programs statement by statement, so that one transaction can stop before its commit
// while another runs into it.
import assert from "node:assert/strict";
import pg from "pg";
import { inside, rowsFor, statementsOf, type Row, type Transaction } from "../../src/store/driver/program.ts";
import { toArrays } from "../../src/store/postgres/arrays.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { createTestClock } from "../../src/store/ports/harness.contract.ts";
import { createDatabase } from "./postgres.ts";

export type Connections = {
  one: pg.Client;
  two: pg.Client;
  observer: pg.Client;
  /** Rolls back and empties the queue and the outbox. */
  reset(): Promise<void>;
  /** Resolves when a transaction waits for another's lock. */
  untilBlocked(): Promise<void>;
  close(): Promise<void>;
};

export async function openConnections(): Promise<Connections> {
  const database = await createDatabase();
  await (await openPostgresStore({ url: database.url, clock: createTestClock(), migrate: true })).close();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  const [one, two, observer] = [await connect(), await connect(), await connect()];
  return {
    one,
    two,
    observer,
    async reset() {
      for (const client of [one, two]) await client.query("rollback");
      await observer.query("truncate run, event, delivery");
    },
    async untilBlocked() {
      for (let polls = 0; polls < 5000; polls++) {
        const { rows } = await observer.query(
          "select 1 from pg_locks join pg_database on pg_database.oid = database or database is null where not granted limit 1",
        );
        if (rows.length > 0) return;
      }
      assert.fail("no transaction waited: the two did not meet");
    },
    async close() {
      for (const client of [one, two, observer]) await client.end();
      await database.drop();
    },
  };
}

/** All statements of a program, without a transaction of its own. */
export async function play<T>(client: pg.Client, transaction: Transaction<T>): Promise<T> {
  const program = inside(transaction);
  let step = program.next([]);
  while (!step.done) {
    const results: Row[][] = [];
    for (const { sql, values, rows: items } of statementsOf(step.value)) {
      const { rows } = await client.query<Row>(sql, [...values, ...(items ? toArrays(items) : [])]);
      results.push(rows);
    }
    step = program.next(rowsFor(step.value, results));
  }
  return step.value;
}

/** A transaction without its commit. */
export async function begin<T>(client: pg.Client, transaction: Transaction<T>): Promise<T> {
  await client.query("begin");
  return play(client, transaction);
}

/** A transaction with its commit. */
export async function transact<T>(client: pg.Client, transaction: Transaction<T>): Promise<T> {
  const result = await begin(client, transaction);
  await client.query("commit");
  return result;
}
