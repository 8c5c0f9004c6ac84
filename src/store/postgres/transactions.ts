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
import { beginTransaction, commit, inOnePacket, readTime } from "./connection.ts";
import type { ClockWatch } from "./clock-watch.ts";
import { createPlayer } from "./player.ts";
import { createDatabaseTime, fits, type RoundTrip } from "./time.ts";

/** An advisory lock, so that nodes that start at the same time migrate one after another. Any constant. */
const migrationLock = 46_653_001;

const claims: ReadonlySet<ProgramName> = new Set(["claimRuns", "claimDeliveries", "claimMailbox"]);

export type Transactions = {
  /** `isRepeated`: an earlier try was rolled back. */
  run(client: pg.ClientBase, name: ProgramName, input: unknown, isRepeated: boolean): Promise<unknown>;
};

/** Stands in for the database's own time in tests. */
export type StandInClock = Pick<Clock, "now" | "monotonic">;

export function createTransactions(
  clock: StandInClock | undefined,
  watch: Pick<ClockWatch, "learn" | "leasesBy">,
): Transactions {
  const player = createPlayer();
  const time = createDatabaseTime();

  const start = (name: ProgramName, input: unknown): Transaction<unknown> =>
    catalogue[name].run(
      postgresDialect,
      claims.has(name) ? { ...(input as object), leasesBy: watch.leasesBy() } : input,
    );

  const migrate = async (client: pg.ClientBase, input: unknown): Promise<unknown> => {
    const now = await beginTransaction(client);
    await client.query(`set local statement_timeout = 0; select pg_advisory_xact_lock(${migrationLock})`);
    return player.finish(client, start("migrate", atTime(input, clock?.now() ?? now)), []);
  };

  const learn = (now: number, roundTrip: RoundTrip): void => {
    time.learn(now, roundTrip);
    watch.learn(now, roundTrip);
  };

  /** The database's own time, one round trip later: right whatever our clocks did. */
  const transactAtTime = async (
    client: pg.ClientBase,
    name: ProgramName,
    input: unknown,
  ): Promise<unknown> => {
    const askedAt = performance.now();
    const now = await beginTransaction(client);
    learn(now, { askedAt, answeredAt: performance.now() });
    return player.finish(client, start(name, atTime(input, now)), []);
  };

  /**
   * The first statements travel with `begin`, at our estimate of the database's time when they are sent; its real time
   * comes back with their rows. It is later by the way there, however long that is: a transaction's time is then a
   * little old when it is used, which makes leases end early and due work late, and never the other way round. Where it
   * is not a time of this round trip, as after a machine was suspended, the transaction is rerun, and reads the time
   * first.
   */
  const transact = async (client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown> => {
    if (clock) watch.learn(clock.now(), { askedAt: clock.monotonic(), answeredAt: clock.monotonic() });
    const askedAt = performance.now();
    const estimate = clock?.now() ?? time.estimate();
    if (estimate === null) return transactAtTime(client, name, input);
    const program = start(name, atTime(input, estimate));
    const { done, value } = program.next([]);
    if (done === true && !(value instanceof FinalBatch)) return value;
    const step: Step = value instanceof FinalBatch ? { statements: value.statements } : (value as Step);
    const [now, rows] = await Promise.all(
      inOnePacket(client, () => [beginTransaction(client), player.send(client, step)] as const),
    );
    if (!clock) {
      const roundTrip = { askedAt, answeredAt: performance.now() };
      learn(now, roundTrip);
      if (!fits(estimate, now, roundTrip))
        throw new RestartTransaction("the database's time differs from our estimate");
    }
    if (!(value instanceof FinalBatch)) return player.finish(client, program, rows);
    await commit(client);
    return value.toResult(rows as unknown as Row[][]);
  };

  /** As a transaction, with the time beside the first statements, but there is nothing to commit. */
  const readInTime = async (
    client: pg.ClientBase,
    name: ProgramName,
    input: unknown,
    isRepeated: boolean,
  ): Promise<unknown> => {
    if (clock) return player.run(client, start(name, atTime(input, clock.now())));
    const askedAt = performance.now();
    const estimate = isRepeated ? null : time.estimate();
    const telling = readTime(client).then((now) => ({ now, answeredAt: performance.now() }));
    if (estimate === null) {
      const { now, answeredAt } = await telling;
      learn(now, { askedAt, answeredAt });
      return player.run(client, start(name, atTime(input, now)));
    }
    const reading = player.run(client, start(name, atTime(input, estimate)));
    const [{ now, answeredAt }, result] = await Promise.all([telling, reading]);
    learn(now, { askedAt, answeredAt });
    if (!fits(estimate, now, { askedAt, answeredAt }))
      throw new RestartTransaction("the database's time differs from our estimate");
    return result;
  };

  return {
    run(client, name, input, isRepeated) {
      if (name === "migrate") return migrate(client, input);
      const { kind } = catalogue[name];
      if (kind === "read") return player.run(client, start(name, input));
      if (kind === "timedRead") return readInTime(client, name, input, isRepeated);
      // A single statement takes the time from the database itself.
      if (kind === "single") {
        return player.run(client, start(name, atTime(input, clock?.now() ?? null)));
      }
      return isRepeated && !clock ? transactAtTime(client, name, input) : transact(client, name, input);
    },
  };
}
