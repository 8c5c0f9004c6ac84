// Connections to PostgreSQL: their settings, prepared statements, and several statements in one packet.
import { hash } from "node:crypto";
import type { Duplex } from "node:stream";
import pg from "pg";
import { postgresDialect } from "../driver/dialect.ts";
import type { Row, Statement } from "../driver/program.ts";
import { toArrays } from "./arrays.ts";

const int8 = 20;

// A generic plan keeps the cost of a claim flat at any size. It must use an index even if it was planned while the table
// was small, so sequential scans and joins by hash or merge are off. A count gets no parallel workers, so that callers
// who wait for a commit keep their processors. A confirmed commit is on disk, whatever the server's default. The
// isolation level is the one that the lock clauses are written for (transactions name it again in their `begin`, for
// poolers), and limits of time are ours alone: those that a role or a database can have, and some servers do not know.
export const sessionSettings = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set max_parallel_workers_per_gather = 0; set synchronous_commit = on;
  set statement_timeout = '15s'; set idle_in_transaction_session_timeout = '30s'; set timezone = 'UTC';
  set default_transaction_isolation = 'read committed';
  select set_config(name, '0', false) from pg_settings where name in ('lock_timeout', 'transaction_timeout', 'idle_session_timeout')`;

/** Five round trips lie between a first packet and a usable connection. Callers give up earlier by themselves. */
const connectMs = 60_000;

export function createPool(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: "rouse",
    // A new connection is five round trips; one that is idle is kept for a while.
    idleTimeoutMillis: 120_000,
    // Queries are sent without waiting for the results of earlier ones.
    pipeline: true,
    types: { getTypeParser: (oid: number) => (oid === int8 ? Number : pg.types.getTypeParser(oid)) },
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it; its types do not say so
    onConnect: async (client: pg.ClientBase) => {
      // Without a listener, the error event of a broken connection would end the process. Its query fails by itself.
      client.on("error", () => {});
      const silence = setTimeout(giveUp, connectMs, client);
      await client.query(sessionSettings).finally(() => clearTimeout(silence));
    },
  });
  // An idle connection that breaks is replaced at its next use.
  pool.on("error", () => {});
  return pool;
}

export type Statements = { query(client: pg.ClientBase, statement: Statement): Promise<Row[]> };

/** The name of a prepared statement is a hash of its text, because nodes share connections behind a pooler. */
export function createStatements(): Statements {
  const names = new Map<string, string>();
  const nameOf = (sql: string): string => {
    const known = names.get(sql);
    if (known) return known;
    const name = `rouse_${hash("sha256", sql, "hex").slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
  return {
    async query(client, { sql, values: plain, rows: items }) {
      const values = items ? [...plain, ...toArrays(items)] : [...plain];
      const prepared = values.length > 0 ? { name: nameOf(sql), text: sql, values } : { text: sql };
      const { rows } = await send<Row>(client, prepared);
      return rows;
    },
  };
}

/** Sends everything that `sending` writes in one packet, which saves system calls. */
export function inOnePacket<T>(client: pg.ClientBase, sending: () => T): T {
  const socket = socketOf(client);
  socket.cork();
  try {
    return sending();
  } finally {
    socket.uncork();
  }
}

export const giveUp = (client: pg.ClientBase): void => void socketOf(client).destroy();

/** Not in the types of the client. */
const socketOf = (client: pg.ClientBase): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** With a callback, because a promise of the client would keep all that it holds until a full garbage collection. */
export function send<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<R>>();
  // The types of the client claim that there is always a result.
  client.query<R>(query, (fault: Error | null, result) => (fault ? reject(fault) : resolve(result)));
  return promise;
}

export async function readTime(client: pg.ClientBase): Promise<number> {
  const { rows } = await send<{ time: number }>(client, { text: `select ${postgresDialect.time} as time` });
  return Number(rows[0]?.time);
}

/** Returns the database's time, without a round trip of its own. */
export async function beginTransaction(client: pg.ClientBase): Promise<number> {
  // Several statements in one query have several results; the types of the client lack that.
  const results = (await send(client, {
    text: `begin isolation level read committed; select ${postgresDialect.time} as time`,
  })) as unknown as [unknown, pg.QueryResult<{ time: number }>];
  return Number(results[1].rows[0]?.time);
}

export const commit = (client: pg.ClientBase): Promise<unknown> => send(client, { text: "commit" });

/** False when the connection cannot be used again. */
export async function rollBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
