// Runs programs on a connection: as a transaction, or without one.
import type pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { postgresDialect } from "../driver/dialect.ts";
import {
  atTime,
  FinalBatch,
  RestartTransaction,
  type Row,
  type Step,
  type Transaction,
} from "../driver/program.ts";
import { catalogue, type ProgramName } from "../programs/catalogue.ts";
import { beginTransaction, commit, inOnePacket } from "./connection.ts";
import { createPlayer } from "./player.ts";
import { createDatabaseTime, mostDifferenceMs } from "./time.ts";

/** An advisory lock, so that nodes that start at the same time migrate one after another. Any constant. */
const migrationLock = 46_653_001;

export type Transactions = {
  run(client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown>;
};

/** `clock` stands in for the database's own time in tests. */
export function createTransactions(clock: Pick<Clock, "now"> | undefined): Transactions {
  const player = createPlayer();
  const time = createDatabaseTime();

  const start = (name: ProgramName, input: unknown): Transaction<unknown> =>
    catalogue[name].run(postgresDialect, input);

  const migrate = async (client: pg.ClientBase, input: unknown): Promise<unknown> => {
    const now = await beginTransaction(client);
    await client.query(`set local statement_timeout = 0; select pg_advisory_xact_lock(${migrationLock})`);
    return player.finish(client, start("migrate", atTime(input, clock?.now() ?? now)), []);
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
      return player.finish(client, start(name, atTime(input, now)), []);
    }
    const program = start(name, atTime(input, estimate));
    const { done, value } = program.next([]);
    if (done === true && !(value instanceof FinalBatch)) return value;
    const step: Step = value instanceof FinalBatch ? { statements: value.statements } : (value as Step);
    const [now, rows] = await Promise.all(
      inOnePacket(client, () => [beginTransaction(client), player.send(client, step)] as const),
    );
    if (!clock) {
      learn(now, askedAt);
      if (Math.abs(now - estimate) > mostDifferenceMs)
        throw new RestartTransaction("the database's time differs from our estimate");
    }
    if (!(value instanceof FinalBatch)) return player.finish(client, program, rows);
    await commit(client);
    return value.toResult(rows as unknown as Row[][]);
  };

  return {
    run(client, name, input) {
      if (name === "migrate") return migrate(client, input);
      const { kind } = catalogue[name];
      if (kind === "read") return player.run(client, start(name, input));
      // A single statement takes the time from the database itself.
      if (kind === "single") {
        return player.run(client, start(name, atTime(input, clock?.now() ?? null)));
      }
      return transact(client, name, input);
    },
  };
}
