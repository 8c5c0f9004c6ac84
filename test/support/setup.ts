// Once for the whole test run: one PostgreSQL, whose address the test processes inherit.
import { postgresVariable, startPostgres, type RunningPostgres } from "./postgres.ts";

let running: RunningPostgres | undefined;

export async function globalSetup(): Promise<void> {
  running = await startPostgres();
  process.env[postgresVariable] = running.url;
}

export async function globalTeardown(): Promise<void> {
  await running?.stop();
}
