// Runs programs on a connection: as a transaction, or without one.
import type pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { postgresDialect } from "../driver/dialect.ts";
import {
  atTime,
  FinalBatch,
  inside,
  RestartTransaction,
  rowsFor,
  statementsOf,
  type Row,
  type Step,
  type Transaction,
} from "../driver/program.ts";
import { catalogue, type ProgramName } from "../programs/catalogue.ts";
import { beginTransaction, commit, createStatements, inOnePacket } from "./connection.ts";
import { createDatabaseTime, mostDifferenceMs } from "./time.ts";

/** An advisory lock, so that nodes that start at the same time migrate one after another. Any constant. */
const migrationLock = 46_653_001;

export type Transactions = {
  run(client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown>;
};

/** `clock` stands in for the database's own time in tests. */
export function createTransactions(clock: Pick<Clock, "now"> | undefined): Transactions {
  const statements = createStatements();
  const time = createDatabaseTime();

  const send = async (client: pg.ClientBase, step: Step): Promise<Row[]> => {
    const results = inOnePacket(client, () =>
      statementsOf(step).map((each) => statements.query(client, each)),
    );
    return rowsFor(step, await Promise.all(results));
  };

  const start = (name: ProgramName, input: unknown): Transaction<unknown> =>
    catalogue[name].run(postgresDialect, input);

  const withoutTransaction = async (
    client: pg.ClientBase,
    name: ProgramName,
    input: unknown,
  ): Promise<unknown> => {
    const program = inside(start(name, input));
    let step = program.next([]);
    while (!step.done) step = program.next(await send(client, step.value));
    return step.value;
  };

  /** The commit travels with a final batch. */
  const finish = async (
    client: pg.ClientBase,
    program: Transaction<unknown>,
    first: Row[],
  ): Promise<unknown> => {
    let step = program.next(first);
    while (!step.done) step = program.next(await send(client, step.value));
    const end = step.value;
    if (!(end instanceof FinalBatch)) {
      await commit(client);
      return end;
    }
    const [rows] = await Promise.all(
      inOnePacket(client, () => [send(client, { statements: end.statements }), commit(client)] as const),
    );
    return end.toResult(rows as unknown as Row[][]);
  };

  const migrate = async (client: pg.ClientBase, input: unknown): Promise<unknown> => {
    const now = await beginTransaction(client);
    await client.query(`set local statement_timeout = 0; select pg_advisory_xact_lock(${migrationLock})`);
    return finish(client, start("migrate", atTime(input, clock?.now() ?? now)), []);
  };

  const learn = (now: number, askedAt: number): void =>
    time.learn(now, { askedAt, answeredAt: performance.now() });

  /**
   * The first statements travel with `begin`, using our estimate of the database's clock; its real time comes back with
   * their rows. Where the two differ, as after a machine was suspended, the transaction is rerun.
   */
  const transact = async (client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown> => {
    const estimate = clock?.now() ?? time.estimate();
    const askedAt = performance.now();
    if (estimate === null) {
      const now = await beginTransaction(client);
      learn(now, askedAt);
      return finish(client, start(name, atTime(input, now)), []);
    }
    const program = start(name, atTime(input, estimate));
    const { done, value } = program.next([]);
    if (done === true && !(value instanceof FinalBatch)) return value;
    const step: Step = value instanceof FinalBatch ? { statements: value.statements } : (value as Step);
    const [now, rows] = await Promise.all(
      inOnePacket(client, () => [beginTransaction(client), send(client, step)] as const),
    );
    if (!clock) {
      learn(now, askedAt);
      if (Math.abs(now - estimate) > mostDifferenceMs)
        throw new RestartTransaction("the database's time differs from our estimate");
    }
    if (!(value instanceof FinalBatch)) return finish(client, program, rows);
    await commit(client);
    return value.toResult(rows as unknown as Row[][]);
  };

  return {
    run(client, name, input) {
      if (name === "migrate") return migrate(client, input);
      const { kind } = catalogue[name];
      if (kind === "read") return withoutTransaction(client, name, input);
      // A single statement takes the time from the database itself.
      if (kind === "single") return withoutTransaction(client, name, atTime(input, clock?.now() ?? null));
      return transact(client, name, input);
    },
  };
}
