// The PostgreSQL that everything is measured on: one of our own that flushes to disk, started when it is first
// needed, or the one of ROUSE_BENCH_POSTGRES.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { startPostgres, type RunningPostgres } from "../test/support/postgres.ts";

export type Databases = {
  /** An empty one. */
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
    await ask(await serverUrl(), `drop database if exists ${name} with (force)`);
    made.delete(url);
  };
  return {
    async create() {
      const url = new URL(await serverUrl());
      const name = `rouse_bench_${randomUUID().replaceAll("-", "")}`;
      await ask(url.href, `create database ${name}`);
      url.pathname = `/${name}`;
      made.add(url.href);
      return url.href;
    },
    drop,
    async version() {
      const [first] = await ask<{ server_version: string }>(await serverUrl(), "show server_version");
      return first?.server_version ?? "unknown";
    },
    async close() {
      if (given !== undefined) for (const url of made) await drop(url);
      await (await running)?.stop();
    },
  };
}

const journalMegabytes = 1024;

/**
 * With its journal laid out, as it is where a database has been at work for a while: a new one makes each file of it,
 * 16 MB of zeros, while a commit waits.
 */
async function startServer(): Promise<RunningPostgres> {
  const size = `${journalMegabytes}MB`;
  const server = await startPostgres({
    flushes: true,
    settings: [`min_wal_size=${size}`, "max_wal_size=4GB"],
  });
  for (let at = 0; at < journalMegabytes / 16; at++)
    await ask(server.url, "select pg_logical_emit_message(true, 'bench', 'x'), pg_switch_wal()");
  await ask(server.url, "checkpoint");
  return server;
}

export async function ask<Row extends pg.QueryResultRow>(
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
