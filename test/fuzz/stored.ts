// Reads the ids in the fuzzed gateway's store, on a connection of its own.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

export type Stored = { runs: string[]; wakes: string[]; requests: number };

export type StoreReader = {
  /** Runs of either kind that have not ended. */
  unfinished(): Promise<number>;
  read(): Promise<Stored>;
  close(): Promise<void>;
};

type Row = Record<string, unknown>;

export async function openReader(folder: string, databaseUrl: string | null): Promise<StoreReader> {
  const { all, close } = databaseUrl === null ? openFile(folder) : await openDatabase(databaseUrl);
  const ids = async (sql: string) => (await all(sql)).map(({ id }) => String(id));
  const count = async (sql: string) => Number((await all(sql))[0]?.["n"]);
  return {
    unfinished: () => count("select count(*) as n from run where ended_at is null"),
    read: async () => ({
      runs: await ids("select id from run where kind = 'hook'"),
      wakes: await ids("select id from event where source = 'wake'"),
      requests: await count("select count(*) as n from request"),
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
