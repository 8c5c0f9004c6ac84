// Once for the whole test run: one PostgreSQL, whose address the test processes inherit, and a database in it that is
// up to date.
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import {
  createDatabase,
  postgresVariable,
  startPostgres,
  templateVariable,
  type RunningPostgres,
} from "./postgres.ts";

let running: RunningPostgres | undefined;

export async function globalSetup(): Promise<void> {
  running = await startPostgres();
  process.env[postgresVariable] = running.url;
  const { url } = await createDatabase({ bare: true });
  await (await openPostgresStore({ url, migrate: true })).close();
  process.env[templateVariable] = new URL(url).pathname.slice(1);
}

export async function globalTeardown(): Promise<void> {
  await running?.stop();
}
