// Reads the ids in the fuzzed gateway's store, on a connection of its own.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

export type Stored = { runs: string[]; wakes: string[]; requests: number; mails: number };

export type StoreReader = {
  /** Runs of either kind that have not ended. */
  unfinished(): Promise<number>;
  /** Some of them, for the report of a fault. */
  describeUnfinished(): Promise<string>;
  /** Mails that were taken in. */
  mails(): Promise<number>;
  read(): Promise<Stored>;
  close(): Promise<void>;
};

type Row = Record<string, unknown>;

export async function openReader(folder: string, databaseUrl: string | null): Promise<StoreReader> {
  const { all, close } = databaseUrl === null ? openFile(folder) : await openDatabase(databaseUrl);
  const ids = async (sql: string) => (await all(sql)).map(({ id }) => String(id));
  const count = async (sql: string) => Number((await all(sql))[0]?.["n"]);
  const mails = (): Promise<number> => count("select count(*) as n from mail_seen");
  return {
    mails,
    describeUnfinished: async () =>
      JSON.stringify(
        await all(
          "select count(*) over () as n, id, kind, hook, status, agent_id, lane, attempts, ready_at - created_at as waits_ms, error, substr(request, 1, 300) as request from run where ended_at is null order by head desc limit 3",
        ),
      ),
    unfinished: () => count("select count(*) as n from run where ended_at is null"),
    read: async () => ({
      runs: await ids("select id from run where kind = 'hook'"),
      wakes: await ids("select id from event where source = 'wake'"),
      requests: await count("select count(*) as n from request"),
      mails: await mails(),
    }),
    close,
  };
}

function openFile(folder: string) {
  const database = new DatabaseSync(join(folder, "rouse.db"), { readOnly: true, timeout: 30_000 });
  return {
    all: async (sql: string): Promise<Row[]> => database.prepare(sql).all(),
    close: async () => database.close(),
  };
}

async function openDatabase(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    all: async (sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows,
    close: () => client.end(),
  };
}
