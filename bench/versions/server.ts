// A running gateway of one version, started by its own command.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { processorMicroseconds, type Lab } from "../lab.ts";
import { startAgent, unreachedLimits, writeConfig, type StoreKind } from "../subjects/gateway.ts";
import type { Subject } from "../subjects/subject.ts";
import type { Version } from "./version.ts";

export type Server = Subject & {
  name: string;
  agent: Subject;
  /** Whether any hook run has no stored end yet. */
  hasUnfinished(): Promise<boolean>;
  /** Processor time so far, of its process, of those that it has started, and of its connections' processes in the database. */
  processorMicroseconds(): Promise<number>;
};

export type ServerOptions = {
  store: StoreKind;
  /** Whether its agent never replies, or at once. */
  manner: "hold" | "reply";
  maxConcurrent?: number;
  hooks?: object;
};

/** A version refuses settings that it does not know. */
const knowsLimits = ({ folder }: Version): boolean =>
  readFileSync(join(folder, "schema/rouse.schema.json"), "utf8").includes("maxWaitingEvents");

export async function startServer(lab: Lab, version: Version, options: ServerOptions): Promise<Server> {
  const agent = await startAgent(lab, options.manner);
  const url = options.store === "PostgreSQL" ? await lab.databases.create() : null;
  const { maxConcurrent = 4 } = options;
  const hooks = { ...(knowsLimits(version) && unreachedLimits), ...options.hooks };
  const { file, databaseFile } = writeConfig(lab, { agentPort: agent.port, maxConcurrent, hooks }, url);
  const child = serve(lab, version, file);
  const port = await portOf(child);
  const { hasUnfinished, backends } = url === null ? inFile(lab, databaseFile) : await inDatabase(lab, url);
  return {
    name: version.name,
    child,
    port,
    agent,
    hasUnfinished,
    async processorMicroseconds() {
      const times = [...withChildren(child.pid), ...(await backends())].map(processorMicroseconds);
      return times.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each), 0);
    },
  };
}

/** A process and those that it has started and that run. */
function withChildren(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ");
  return [pid, ...children.filter((each) => each !== "").map(Number)];
}

export const serve = (lab: Lab, { folder }: Version, file: string): ChildProcess =>
  lab.run(process.execPath, [join(folder, "bin/rouse.mjs"), "serve", "--config", file, "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });

/** Resolves when the gateway is ready, which it says in the line with its address. */
export async function portOf(child: ChildProcess): Promise<number> {
  const signal = AbortSignal.timeout(30_000);
  const [line] = (await once(child.stdout!, "data", { signal })) as [Buffer];
  return Number(/:(\d+)\s*$/m.exec(line.toString("utf8"))?.[1]);
}

// Every unfinished isolated run is a head, so that this reads one entry of an index.
const unfinishedSql = "select id from run where kind = 'hook' and head > 0 limit 1";

type Probe = {
  hasUnfinished(): Promise<boolean>;
  /** The processes that work for its connections. */
  backends(): Promise<number[]>;
};

function inFile(lab: Lab, path: string): Probe {
  const database = new DatabaseSync(path, { readOnly: true });
  lab.onClose(async () => database.close());
  const query = database.prepare(unfinishedSql);
  return { hasUnfinished: async () => query.get() !== undefined, backends: async () => [] };
}

const backendsSql =
  "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

async function inDatabase(lab: Lab, url: string): Promise<Probe> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  lab.onClose(() => client.end());
  return {
    hasUnfinished: async () => ((await client.query(unfinishedSql)).rowCount ?? 0) > 0,
    backends: async () => (await client.query<{ pid: number }>(backendsSql)).rows.map(({ pid }) => pid),
  };
}
