// Our gateway, configured as by a user, with limits that the load does not reach.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageFrom, type Lab } from "../lab.ts";
import { query } from "../postgres.ts";
import { token, type Subject } from "./subject.ts";

export const storeKinds = ["SQLite", "PostgreSQL"] as const;
export type StoreKind = (typeof storeKinds)[number];

export type Gateway = Subject & {
  store: StoreKind;
  /** Commits since the last report, and the requests in them. */
  report(): Promise<GatewayReport>;
  /** Ids of all stored runs and events; can be read while the gateway runs and after it was killed. */
  storedIds(): Promise<Set<string>>;
};

export type GatewayReport = { groups: number; members: number };

export type GatewayOptions = {
  store: StoreKind;
  hooks?: object;
  /** The port of its agent; without one, an agent that never replies is started. */
  agentPort?: number;
  maxConcurrent?: number;
};

/** Of waiting events. Older versions do not know these settings. */
export const unreachedLimits = { maxWaitingEvents: 100_000_000, maxWaitingBytes: 1_000_000_000_000 };

export async function startGateway(lab: Lab, options: GatewayOptions): Promise<Gateway> {
  const agentPort = options.agentPort ?? (await startAgent(lab, "hold")).port;
  const url = options.store === "PostgreSQL" ? await lab.databases.create() : null;
  const hooks = { ...unreachedLimits, ...options.hooks };
  const { file, databaseFile } = writeConfig(lab, { ...options, hooks, agentPort }, url);
  const child = lab.start("gateway", file);
  const { port } = await messageFrom<{ port: number }>(child);
  return {
    child,
    port,
    store: options.store,
    async report() {
      child.send("report");
      return messageFrom<GatewayReport>(child);
    },
    storedIds: () => (url === null ? idsInFile(databaseFile) : idsInDatabase(url)),
  };
}

export async function startAgent(lab: Lab, manner: "hold" | "reply"): Promise<Subject> {
  const child = lab.start("agent", manner);
  return { child, ...(await messageFrom<{ port: number }>(child)) };
}

export function writeConfig(
  lab: Lab,
  { hooks, agentPort, maxConcurrent = 4 }: Partial<GatewayOptions>,
  url: string | null = null,
): { file: string; databaseFile: string } {
  const folder = lab.folder();
  const databaseFile = join(folder, "rouse.db");
  const config = {
    hooks: {
      enabled: true,
      token,
      maxQueued: 100_000_000,
      authFailures: { max: 1, windowSeconds: 86_400 },
      budget: { runsPerDay: 1_000_000_000, tokensPerDay: 1_000_000_000_000 },
      ...hooks,
    },
    agents: {
      ...(agentPort !== undefined && {
        list: [{ id: "main", kind: "http", url: `http://127.0.0.1:${agentPort}/` }],
      }),
      maxConcurrent,
    },
    store: { path: databaseFile, ...(url !== null && { url }) },
    log: { level: "error" },
  };
  const file = join(folder, "rouse.jsonc");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return { file, databaseFile };
}

const idsSql = "select id from run union all select id from event";

async function idsInFile(path: string): Promise<Set<string>> {
  const database = new DatabaseSync(path);
  try {
    return new Set(Array.from(database.prepare(idsSql).iterate(), ({ id }) => String(id)));
  } finally {
    database.close();
  }
}

const idsInDatabase = async (url: string): Promise<Set<string>> =>
  new Set((await query<{ id: string }>(url, idsSql)).map(({ id }) => id));
