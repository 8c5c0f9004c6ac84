// Runs programs on connections of a pool, within a time limit, and again when transactions conflict.
import type pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { StoreUnavailable } from "../../core/errors.ts";
import { RestartTransaction, type Driver } from "../driver/program.ts";
import { catalogue, type ProgramName, type Programs } from "../programs/catalogue.ts";
import { giveUp, rollBack } from "./connection.ts";
import { isContention, isUnavailable, reasonOf } from "./faults.ts";
import { withTimeout, type Timeouts } from "./timeouts.ts";
import { createTransactions } from "./transactions.ts";

const mostTries = 6;

export function createPostgresDriver(
  pool: pg.Pool,
  clock: Pick<Clock, "now"> | undefined,
  timeouts: Timeouts,
): Driver<Programs> {
  const transactions = createTransactions(clock);
  const inUse = new Set<pg.ClientBase>();

  const attempt = async (client: pg.PoolClient, name: ProgramName, input: unknown): Promise<unknown> => {
    let isBroken = false;
    // A migration of a large table may take long.
    const silence = name === "migrate" ? undefined : setTimeout(giveUp, timeouts.silenceMs, client);
    inUse.add(client);
    try {
      return await transactions.run(client, name, input);
    } catch (fault) {
      isBroken = isUnavailable(fault) || (hasTransaction(name) && !(await rollBack(client)));
      throw fault;
    } finally {
      clearTimeout(silence);
      inUse.delete(client);
      client.release(isBroken);
    }
  };

  const attemptInTime = async (name: ProgramName, input: unknown): Promise<unknown> => {
    const attempted = attempt(await pool.connect(), name, input);
    return name === "migrate" ? attempted : withTimeout(attempted, timeouts.programMs(name));
  };

  return {
    run: async (name: ProgramName, input: unknown) => {
      for (let tries = 1; ; tries++) {
        try {
          return await attemptInTime(name, input);
        } catch (fault) {
          const mayPass = isContention(fault) || fault instanceof RestartTransaction;
          if (mayPass && tries < mostTries) continue;
          throw isUnavailable(fault)
            ? new StoreUnavailable(`the database cannot be used: ${reasonOf(fault)}`, { cause: fault })
            : fault;
        }
      }
    },
    async close() {
      const timer = setTimeout(() => inUse.forEach(giveUp), timeouts.closeMs);
      await pool.end();
      clearTimeout(timer);
    },
  } as Driver<Programs>;
}

const hasTransaction = (name: ProgramName): boolean => {
  const { kind } = catalogue[name];
  return kind === "write" || kind === "timedRead";
};
