// A PostgreSQL of the drills, from the system's packages: the package of the tests has no pg_basebackup and no pg_dump.
import { execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort, needPrograms } from "../support/debian.ts";
import { makeFolder } from "../support/folder.ts";
import { until } from "../support/process.ts";

const run = promisify(execFile);

export type Cluster = {
  url: string;
  data: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
  /** All its processes at once, and its data: the machine is lost. */
  destroy(): Promise<void>;
};

const home = "/usr/lib/postgresql";
const wanted = ["initdb", "postgres", "pg_basebackup", "pg_dump", "pg_restore"];
const hasAll = (folder: string): boolean => wanted.every((program) => existsSync(join(folder, program)));

/** Puts the newest PostgreSQL of this machine first in the PATH, and says which it is. */
export function needPostgres(): string {
  const found = (): string | undefined => {
    const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
    const paths = (process.env["PATH"] ?? "").split(delimiter);
    return [...versions.map((version) => join(home, version, "bin")), ...paths].find(hasAll);
  };
  if (found() === undefined) needPrograms(["pg_basebackup"], ["postgresql"]);
  const folder = found();
  if (folder === undefined) throw new Error(`no folder of the PATH has all of ${wanted.join(", ")}`);
  process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"]}`;
  return execFileSync("postgres", ["--version"], { encoding: "utf8" }).trim();
}

/** PostgreSQL refuses to run as root; its package has made a user for it. */
const owner = (): { uid?: number; gid?: number } => {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }).trim());
  return { uid: idOf("-u"), gid: idOf("-g") };
};

const giveToOwner = (path: string): void => {
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
};

/** A folder that PostgreSQL may write to. */
export function makeOwnFolder(name: string): string {
  const folder = makeFolder(name);
  giveToOwner(folder);
  return folder;
}

export function makeOwnSubfolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  giveToOwner(folder);
  return folder;
}

type ShellOptions = { cwd: string; env?: NodeJS.ProcessEnv };

/** A command of the documentation, as the user that PostgreSQL runs as. */
export async function asOwner(command: string, { cwd, env = {} }: ShellOptions): Promise<void> {
  await run("sh", ["-c", command], { cwd, env: { ...process.env, ...env }, ...owner() });
}

/** Settings as in postgresql.conf. */
export async function createCluster(folder: string, settings: readonly string[] = []): Promise<Cluster> {
  const data = join(folder, "primary");
  const password = randomUUID();
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  giveToOwner(passwordFile);
  const options = "--username=postgres --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync";
  await asOwner(`initdb --pgdata="${data}" ${options} --pwfile="${passwordFile}"`, { cwd: folder });
  return startCluster(data, password, settings);
}

export const passwordOf = ({ url }: Cluster): string => new URL(url).password;

/** Starts on existing data: new, or from a base backup with the same password. */
export async function startCluster(
  data: string,
  password: string,
  settings: readonly string[] = [],
): Promise<Cluster> {
  const port = await freePort();
  const own = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    "dynamic_shared_memory_type = mmap",
  ];
  appendFileSync(join(data, "postgresql.conf"), `${[...own, ...settings].join("\n")}\n`);
  const child = spawn("postgres", ["-D", data], { cwd: data, ...owner(), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

  const cluster: Cluster = {
    url,
    data,
    query: (sql) => queryAt(url, sql),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
      await exited;
    },
    async destroy() {
      const segment = segmentOf(data);
      child.kill("SIGSTOP");
      for (const pid of [...childrenOf(child.pid ?? 0), child.pid ?? 0]) killNow(pid);
      await exited;
      await run("ipcrm", ["-m", segment]);
      rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
  try {
    await until("PostgreSQL responds", async () => {
      if (child.exitCode !== null) throw new Error("PostgreSQL ended");
      return cluster.query("select 1").catch(() => null);
    });
  } catch (fault) {
    await cluster.stop();
    throw new Error(`PostgreSQL did not start:\n${output}`, { cause: fault });
  }
  return cluster;
}

/** Restored or promoted, it takes writes when its recovery is over. */
export const inCharge = (cluster: Cluster): Promise<boolean> =>
  until("the end of recovery", async () => {
    const rows = await cluster.query("select pg_is_in_recovery() as recovers");
    return rows[0]?.["recovers"] === false;
  });

async function queryAt(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Its processes have sessions of their own, so there is no group to kill. */
function childrenOf(parent: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

/** The shared memory that a killed PostgreSQL leaves behind: its number is in the seventh line of this file. */
const segmentOf = (data: string): string =>
  readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[6]?.trim().split(/\s+/)[1] ?? "";

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
