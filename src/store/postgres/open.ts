// The store on PostgreSQL: any number of gateways on one database.
import { hash } from "node:crypto";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { StoreUnavailable } from "../../core/errors.ts";
import { toArrays } from "./arrays.ts";
import { createPostgresBell } from "./notifier.ts";
import { createStore } from "../create/store.ts";
import { createDatabaseTime, mostDifferenceMs } from "./time.ts";
import {
  answerTo,
  atTime,
  postgresDialect,
  statementsOf,
  MadeAgain,
  type AnyProgram,
  type Driver,
  type Program,
  type Row,
  type Statement,
  type Step,
} from "../driver/program.ts";
import { inTime, usualPatience, type Patience } from "./timeouts.ts";
import { isRead, isSingle, programs, type ProgramName, type Programs } from "../programs/catalogue.ts";
import type { Store } from "../ports/store.ts";

export type PostgresOptions = {
  url: string;
  /** In place of the database's own time: for tests. */
  clock?: Pick<Clock, "now">;
  /** Commands never migrate; the gateway does. */
  migrate: boolean;
  connections?: number;
  onGroup?: ((size: number) => void) | undefined;
  patience?: Patience;
};

/** Any constant: the nodes that start at the same time take turns at migrating. */
const migrationLock = 46_653_001;
const mostTries = 6;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, clock, migrate, connections = 8, onGroup, patience = usualPatience } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: "rouse",
    // Queries are sent without waiting for the answers to earlier ones.
    pipeline: true,
    types: { getTypeParser: (oid: number) => (oid === int8 ? Number : pg.types.getTypeParser(oid)) },
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it; its types do not say so
    onConnect: async (client: pg.ClientBase) => {
      // A connection that breaks while it is in use also says so in an event, which nobody else hears: unheard, it
      // would end the process. The query in hand fails by itself.
      client.on("error", () => {});
      await client.query(sessionSettings);
    },
  });
  // An idle connection that breaks is replaced at its next use.
  pool.on("error", () => {});

  const driver = createPostgresDriver(pool, clock, patience);
  try {
    if (migrate) {
      await driver.run("migrate", {});
      await driver.run("mendLanes", null);
    } else await driver.run("checkVersion", null);
  } catch (fault) {
    await pool.end();
    throw fault;
  }
  return createStore({ driver, bell: createPostgresBell({ url }), onGroup });
}

const int8 = 20;

// A generic plan keeps the claim flat at any size, if it looks up what it needs row by row: made while a table is small,
// it would else read all of it. A count must not take several processors from those who wait for a commit. Whatever the
// server's default, an answer means: on disk.
export const sessionSettings = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set max_parallel_workers_per_gather = 0; set synchronous_commit = on;
  set statement_timeout = '15s'; set idle_in_transaction_session_timeout = '30s'; set timezone = 'UTC'`;

function createPostgresDriver(
  pool: pg.Pool,
  clock: Pick<Clock, "now"> | undefined,
  patience: Patience,
): Driver<Programs> {
  const names = new Map<string, string>();
  const time = createDatabaseTime();
  /** By what it says: behind a pooler, connections and their statements are shared with other nodes. */
  const nameOf = (sql: string): string => {
    const known = names.get(sql);
    if (known) return known;
    const name = `rouse_${hash("sha256", sql, "hex").slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };

  const query = async (
    client: pg.ClientBase,
    { sql, values: plain, rows: items }: Statement,
  ): Promise<Row[]> => {
    const values = items ? [...plain, ...toArrays(items)] : plain;
    const prepared =
      values.length > 0 ? { name: nameOf(sql), text: sql, values: [...values] } : { text: sql };
    const { rows } = await ask<Row>(client, prepared);
    return rows;
  };

  const send = async (client: pg.ClientBase, step: Step): Promise<Row[]> => {
    const answers = atOnce(client, () => statementsOf(step).map((each) => query(client, each)));
    return answerTo(step, await Promise.all(answers));
  };

  const play = (name: ProgramName, input: unknown): Program<unknown> =>
    (programs[name] as AnyProgram)(postgresDialect, input);

  const execute = async (client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown> => {
    const program = play(name, input);
    let step = program.next([]);
    while (!step.done) step = program.next(await send(client, step.value));
    return step.value;
  };

  /** To its end, with the commit. */
  const finish = async (client: pg.ClientBase, program: Program<unknown>, first: Row[]): Promise<unknown> => {
    let step = program.next(first);
    while (!step.done) {
      const isLast = "statements" in step.value && step.value.last;
      const { value } = step;
      const [rows] = await Promise.all(
        atOnce(
          client,
          () => [send(client, value), ...(isLast ? [ask(client, { text: "commit" })] : [])] as const,
        ),
      );
      step = program.next(rows);
      if (isLast && step.done) return step.value;
      if (isLast) throw new Error("a program went on after its last statements");
    }
    await ask(client, { text: "commit" });
    return step.value;
  };

  const migrate = async (client: pg.ClientBase, input: unknown): Promise<unknown> => {
    const now = await begin(client);
    await client.query(`set local statement_timeout = 0; select pg_advisory_xact_lock(${migrationLock})`);
    return finish(client, play("migrate", atTime(input, clock?.now() ?? now)), []);
  };

  /**
   * The first statements go with the beginning, at the time that the database is thought to have; what it says itself
   * comes back with their rows. Where the two differ, as after a machine was suspended, it is done again.
   */
  const transact = async (client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown> => {
    const thought = clock?.now() ?? time.thought();
    const askedAt = performance.now();
    if (thought === null) {
      const now = await begin(client);
      time.learn(now, { askedAt, answeredAt: performance.now() });
      return finish(client, play(name, atTime(input, now)), []);
    }
    const program = play(name, atTime(input, thought));
    const { done, value } = program.next([]);
    if (done === true) return value;
    const [now, rows] = await Promise.all(
      atOnce(client, () => [begin(client), send(client, value)] as const),
    );
    if (!clock) {
      time.learn(now, { askedAt, answeredAt: performance.now() });
      if (Math.abs(now - thought) > mostDifferenceMs)
        throw new MadeAgain("the database's time was not what it was thought to be");
    }
    return finish(client, program, rows);
  };

  const run = (client: pg.ClientBase, name: ProgramName, input: unknown): Promise<unknown> => {
    if (isRead(name)) return execute(client, name, input);
    // A single statement takes the time from the database itself.
    if (isSingle(name)) return execute(client, name, atTime(input, clock?.now() ?? null));
    return name === "migrate" ? migrate(client, input) : transact(client, name, input);
  };

  const inUse = new Set<pg.ClientBase>();
  const giveUp = (client: pg.ClientBase): void => void socketOf(client).destroy();

  const attempt = async (client: pg.PoolClient, name: ProgramName, input: unknown): Promise<unknown> => {
    let broken = false;
    // A large table may take its time to change.
    const silence = name === "migrate" ? undefined : setTimeout(giveUp, patience.silenceMs, client);
    inUse.add(client);
    try {
      return await run(client, name, input);
    } catch (fault) {
      broken = isAway(fault) || !(await rolledBack(client, isRead(name) || isSingle(name)));
      throw fault;
    } finally {
      clearTimeout(silence);
      inUse.delete(client);
      client.release(broken);
    }
  };

  const attemptInTime = async (name: ProgramName, input: unknown): Promise<unknown> => {
    const attempted = attempt(await pool.connect(), name, input);
    return name === "migrate" ? attempted : inTime(attempted, patience.programMs(name));
  };

  return {
    run: async (name: ProgramName, input: unknown) => {
      for (let tries = 1; ; tries++) {
        try {
          return await attemptInTime(name, input);
        } catch (fault) {
          if ((isContention(fault) || fault instanceof MadeAgain) && tries < mostTries) continue;
          throw isAway(fault)
            ? new StoreUnavailable(`the database cannot be used: ${reasonOf(fault)}`, { cause: fault })
            : fault;
        }
      }
    },
    async close() {
      const impatience = setTimeout(() => inUse.forEach(giveUp), patience.closeMs);
      await pool.end();
      clearTimeout(impatience);
    },
  } as Driver<Programs>;
}

/** What is sent meanwhile leaves in one piece: each piece is a call of the system, which costs more than the sending. */
function atOnce<T>(client: pg.ClientBase, sending: () => T): T {
  const socket = socketOf(client);
  socket.cork();
  try {
    return sending();
  } finally {
    socket.uncork();
  }
}

/** Its types do not name it. */
const socketOf = (client: pg.ClientBase): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** With a callback: a promise that the library makes lives, with all it holds, until the whole heap is next collected. */
function ask<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<R>>();
  // Its types say that there is always a result.
  client.query<R>(query, (fault: Error | null, result) => (fault ? reject(fault) : resolve(result)));
  return promise;
}

/** The time comes with the beginning: it costs no round trip of its own. */
async function begin(client: pg.ClientBase): Promise<number> {
  // Several statements at once have several results, which the library's types do not say.
  const results = (await ask(client, {
    text: `begin; select ${postgresDialect.time} as time`,
  })) as unknown as [unknown, pg.QueryResult<{ time: number }>];
  return Number(results[1].rows[0]?.time);
}

async function rolledBack(client: pg.ClientBase, hasNothing: boolean): Promise<boolean> {
  try {
    if (!hasNothing) await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}

const codeOf = (fault: unknown): string =>
  fault instanceof Error && "code" in fault && typeof fault.code === "string" ? fault.code : "";

/** Deadlock and serialisation failures: the other one went first, ours is simply done again. */
const isContention = (fault: unknown): boolean => ["40P01", "40001"].includes(codeOf(fault));

// Connection (08), resources (53), operator intervention (57), system (58), not yet or no longer in charge (25006),
// wrong password or database (28, 3D), and whatever the socket says.
const awayCodes = /^(08|53|57|58|28|3D|25006|E[A-Z]{2,})/;

const isAway = (fault: unknown): boolean => {
  const code = codeOf(fault);
  if (code !== "") return awayCodes.test(code);
  return fault instanceof Error && /connection|timeout|terminated|not queryable/i.test(fault.message);
};

/** Never the driver's own message: it may quote the address with its password. */
const reasonOf = (fault: unknown): string => codeOf(fault) || "the connection failed";
