// Runs programs on connections of a pool, within a time limit, and again when transactions conflict.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { StoreUnavailable } from "../../core/errors.ts";
import { backOffMs } from "../../core/retry.ts";
import { RestartTransaction, type Driver } from "../driver/program.ts";
import { catalogue, type ProgramName, type Programs } from "../programs/catalogue.ts";
import type { ClockWatch } from "./clock-watch.ts";
import { giveUp, rollBack } from "./connection.ts";
import { isContention, isUnavailable, reasonOf } from "./faults.ts";
import { withTimeout, type Timeouts } from "./timeouts.ts";
import { createTransactions, type StandInClock } from "./transactions.ts";

const againBackOff = { firstMs: 5, longestMs: 1000 };

export function createPostgresDriver(
  pool: pg.Pool,
  { clock, timeouts, watch }: { clock: StandInClock | undefined; timeouts: Timeouts; watch: ClockWatch },
): Driver<Programs> {
  const transactions = createTransactions(clock, watch);
  const inUse = new Set<pg.ClientBase>();

  const attempt = async (client: pg.PoolClient, { name, input, tries }: Try): Promise<unknown> => {
    let isBroken = false;
    // A migration of a large table may take long.
    const silence = name === "migrate" ? undefined : setTimeout(giveUp, timeouts.silenceMs, client);
    inUse.add(client);
    try {
      return await transactions.run(client, name, input, tries > 1);
    } catch (fault) {
      isBroken = isUnavailable(fault) || (hasTransaction(name) && !(await rollBack(client)));
      throw fault;
    } finally {
      clearTimeout(silence);
      inUse.delete(client);
      client.release(isBroken);
    }
  };

  /** A connection that comes when the caller has given up is not used: the caller may have tried again. */
  const connectAndAttempt = async (each: Try, givenUp?: AbortSignal): Promise<unknown> => {
    const client = await pool.connect();
    if (!givenUp?.aborted) return attempt(client, each);
    client.release();
    throw new StoreUnavailable("the database does not answer");
  };

  const attemptInTime = (each: Try, limitMs: number): Promise<unknown> =>
    each.name === "migrate"
      ? connectAndAttempt(each)
      : withTimeout((givenUp) => connectAndAttempt(each, givenUp), limitMs);

  return {
    run: async (name: ProgramName, input: unknown) => {
      const endsAt = performance.now() + timeouts.programMs(name);
      for (let tries = 1; ; tries++) {
        try {
          return await attemptInTime({ name, input, tries }, endsAt - performance.now());
        } catch (fault) {
          const mayPass = isContention(fault) || fault instanceof RestartTransaction;
          const waitMs = backOffMs(tries, againBackOff, Math.random());
          if (mayPass && performance.now() + waitMs < endsAt) await delay(waitMs);
          else throw toStoreFault(fault, mayPass);
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

type Try = { name: ProgramName; input: unknown; tries: number };

/** What may pass is never the end of the matter: the caller tries again, or tells its own caller to. */
const toStoreFault = (fault: unknown, mayPass: boolean): unknown =>
  mayPass || isUnavailable(fault)
    ? new StoreUnavailable(
        `the database cannot be used: ${mayPass ? "other transactions went first" : reasonOf(fault)}`,
        { cause: fault },
      )
    : fault;

const hasTransaction = (name: ProgramName): boolean => catalogue[name].kind === "write";
