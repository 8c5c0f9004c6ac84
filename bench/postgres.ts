// The PostgreSQL for all measurements: a server of our own that flushes to disk, started at its first use, or the one
// that ROUSE_BENCH_POSTGRES names.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { startPostgres, type RunningPostgres } from "../test/support/postgres.ts";

export type Databases = {
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>;
  drop(url: string): Promise<void>;
  version(): Promise<string>;
  close(): Promise<void>;
};

export function createDatabases(given = process.env["ROUSE_BENCH_POSTGRES"]): Databases {
  let running: Promise<RunningPostgres> | undefined;
  const made = new Set<string>();
  const serverUrl = async (): Promise<string> => given ?? (await (running ??= startServer())).url;

  const drop = async (url: string): Promise<void> => {
    const name = new URL(url).pathname.slice(1);
    await query(await serverUrl(), `drop database if exists ${name} with (force)`);
    made.delete(url);
  };
  return {
    async create() {
      const url = new URL(await serverUrl());
      const name = `rouse_bench_${randomUUID().replaceAll("-", "")}`;
      await query(url.href, `create database ${name}`);
      url.pathname = `/${name}`;
      made.add(url.href);
      return url.href;
    },
    drop,
    async version() {
      const [first] = await query<{ server_version: string }>(await serverUrl(), "show server_version");
      return first?.server_version ?? "unknown";
    },
    async close() {
      if (given !== undefined) for (const url of made) await drop(url);
      await (await running)?.stop();
    },
  };
}

const walMegabytes = 1024;

/**
 * Fills the write-ahead log first, so that its files are recycled as in a database that has run for a while. A new
 * database creates each file, 16 MB of zeros, while a commit waits.
 */
async function startServer(): Promise<RunningPostgres> {
  const size = `${walMegabytes}MB`;
  const server = await startPostgres({
    flushes: true,
    settings: [`min_wal_size=${size}`, "max_wal_size=4GB"],
  });
  for (let at = 0; at < walMegabytes / 16; at++)
    await query(server.url, "select pg_logical_emit_message(true, 'bench', 'x'), pg_switch_wal()");
  await query(server.url, "checkpoint");
  return server;
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(sql, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
