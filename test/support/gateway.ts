// The real gateway in this process, on a free port, with a store of its own, for tests of its public behaviour.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { loadConfig, type LoadResult } from "../../src/config/load.ts";
import { newToken } from "../../src/config/write/write.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Delivery } from "../../src/core/delivery.ts";
import type { Run, RunKind } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import { type Gateway, startGateway } from "../../src/gateway/gateway.ts";
import type { RawClient, RawResponse } from "../fixtures/raw-client.ts";
import { createClient, type TestRequest } from "./client.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createDatabase } from "./postgres.ts";
import { makeFolder } from "./folder.ts";
import { openStore } from "../../src/store/open.ts";

export const storeKinds = ["sqlite", "postgres"] as const;
export type StoreKind = (typeof storeKinds)[number];

type Section = Record<string, unknown>;
/** The settings in rouse.jsonc, as a user writes them. */
export type TestSettings = {
  gateway?: Section;
  hooks?: Section;
  agents?: Section & { defaults?: Section };
  models?: Section;
  channels?: Section;
  mcp?: Section;
  store?: Section;
};

export type TestGateway = {
  url: string;
  token: string;
  folder: string;
  /** Opened beside the gateway, as a command does. */
  inspect: Store;
  logLines: string[];
  /** POST to a hook with the right token and JSON; text and bytes are sent as they are. */
  post(name: string, body: unknown, headers?: readonly string[]): Promise<RawResponse>;
  /** Sends exactly this request, with only Host and Content-Length added. */
  send(request: TestRequest): Promise<RawResponse>;
  /** A connection of its own, with these bytes written to it. */
  raw(text: string | Buffer): RawClient;
  waitFor<T>(what: string, check: () => Promise<T | null | undefined | false>): Promise<T>;
  ended(runId: unknown): Promise<Run>;
  runs(kind?: RunKind): Promise<Run[]>;
  events(source?: SystemEvent["source"]): Promise<SystemEvent[]>;
  deliveries(runId?: string): Promise<Delivery[]>;
  /** A file in the workspace that every agent of these tests shares. */
  put(name: string): void;
  /** The file's text; empty when it does not exist. */
  read(name: string): string;
  /** Stops it as SIGTERM does, and starts it again on the same store. */
  restart(): Promise<void>;
};

export type TestOptions = {
  store?: StoreKind;
  /** Written beside the config before the start: path to text. */
  files?: Readonly<Record<string, string>>;
  /** The pause between two scans of the config and the transforms. */
  watchMs?: number;
  /** The address by which the gateway reaches its PostgreSQL. */
  reach?: (url: string) => Promise<string>;
};

const boundMs = 60_000;
const pollMs = 10;

/** Steps to undo when the test ends, the last one first. */
type Undo = (() => Promise<void> | void)[];

export async function startTestGateway(
  t: Pick<TestContext, "after">,
  settings: TestSettings = {},
  { store: kind = "sqlite", files = {}, watchMs, reach }: TestOptions = {},
): Promise<TestGateway> {
  const undo: Undo = [];
  t.after(async () => {
    for (const step of undo.toReversed()) await step();
  });
  const folder = temporaryFolder(undo);
  const database = kind === "postgres" ? await createDatabase() : null;
  if (database) undo.push(() => database.drop());
  const url = database && reach ? await reach(database.url) : (database?.url ?? null);
  const token = newToken();
  const file = writeSettings(folder, complete(settings, token, url));
  for (const [path, text] of Object.entries(files)) writeFile(join(folder, path), text);
  const workspace = createWorkspace(folder);

  const logLines: string[] = [];
  let gateway = await launch(file, logLines, watchMs);
  const client = createClient(() => gateway.port, token);
  undo.push(async () => {
    client.close();
    await gateway.stop();
  });
  const inspect = database
    ? await openPostgresStore({ url: database.url, migrate: false, connections: 2 })
    : await openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock });
  undo.push(() => inspect.close());
  return {
    get url() {
      return `http://${gateway.host}:${gateway.port}`;
    },
    token,
    folder,
    inspect,
    logLines,
    ...client,
    waitFor,
    ...listsOf(inspect),
    ...workspace,
    async restart() {
      await gateway.stop();
      gateway = await launch(file, logLines, watchMs);
    },
  };
}

function launch(file: string, logLines: string[], watchMs: number | undefined): Promise<Gateway> {
  const loaded = good(loadConfig(file, {}));
  const metrics = createMetrics();
  return startGateway({
    loaded,
    store: openStore(loaded.config.store, { onGroup: metrics.groupWritten }),
    metrics,
    env: {},
    log: createLog({ level: "debug", format: "json" }, { write: (line: string) => void logLines.push(line) }),
    port: 0,
    ...(watchMs !== undefined && { watchMs }),
  });
}

const listsOf = (inspect: Store): Pick<TestGateway, "ended" | "runs" | "events" | "deliveries"> => ({
  ended: (runId) =>
    waitFor(`the end of run ${String(runId)}`, async () => {
      const run = await inspect.findRun(String(runId));
      return run?.endedAt != null && run;
    }),
  runs: (kind = "hook") => inspect.listRuns({ limit: null, kind }),
  async events(source) {
    const all = await inspect.listEvents({ limit: null });
    return all.filter((event) => source === undefined || event.source === source);
  },
  deliveries: (runId) => inspect.listDeliveries({ limit: null, ...(runId !== undefined && { runId }) }),
});

function createWorkspace(folder: string): Pick<TestGateway, "put" | "read"> {
  const workspace = join(folder, "shared");
  mkdirSync(workspace, { recursive: true });
  return {
    put: (name) => writeFileSync(join(workspace, name), ""),
    read: (name) => (existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), "utf8") : ""),
  };
}

/** Loads these settings without starting anything. */
export function loadSettings(t: Pick<TestContext, "after">, settings: unknown): LoadResult {
  const undo: (() => void)[] = [];
  t.after(() => undo.forEach((step) => step()));
  return loadConfig(writeSettings(temporaryFolder(undo), settings), {});
}

/** Runs the same test on each store, in parallel. */
export function forEachStore(name: string, body: (t: TestContext, store: StoreKind) => Promise<void>): void {
  test(name, { concurrency: true }, async (t) => {
    await Promise.all(storeKinds.map((store) => t.test(store, (inner) => body(inner, store))));
  });
}

/** An agent that runs this JavaScript, in the workspace that `put` and `read` use. */
export const program = (id: string, code: string): Section => ({
  id,
  kind: "command",
  command: process.execPath,
  args: ["-e", `const fs = require("node:fs"); ${code}`],
  workspace: "shared",
});

/** Replies once `put(file)` was called; notes its start and its end in the file `turns`. */
export const gated = (id: string, file = "go"): Section =>
  program(
    id,
    `const message = fs.readFileSync(0, "utf8");
     const note = (word) => fs.appendFileSync("turns", word + " " + process.env.ROUSE_RUN_ID + "\\n");
     note("starts");
     const wait = () => {
       if (!fs.existsSync(${JSON.stringify(file)})) return setTimeout(wait, 10);
       note("ends");
       process.stdout.write("done");
     };
     wait();`,
  );

export const replying = (id: string, reply: string): Section =>
  program(id, `process.stdout.write(${JSON.stringify(reply)})`);

export async function waitFor<T>(
  what: string,
  check: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const until = performance.now() + boundMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`waited ${boundMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function temporaryFolder(undo: (() => void)[]): string {
  const folder = makeFolder("spec");
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A literal `${` in a config would be taken for a reference to the environment. */
function writeSettings(folder: string, settings: unknown): string {
  const file = join(folder, "rouse.jsonc");
  writeFileSync(
    file,
    JSON.stringify(settings, null, 2).replaceAll("${", () => "$${"),
    { mode: 0o600 },
  );
  return file;
}

function complete(settings: TestSettings, token: string, url: string | null): TestSettings {
  return {
    ...settings,
    gateway: { auth: { token: newToken() }, drainSeconds: 0, ...settings.gateway },
    hooks: { enabled: true, token, ...settings.hooks },
    agents: {
      ...settings.agents,
      defaults: { heartbeat: { every: "0" }, ...settings.agents?.defaults },
    },
    store: { ...(url !== null && { url }), ...settings.store },
  };
}

function good(loaded: LoadResult): Extract<LoadResult, { ok: true }> {
  if (loaded.ok) return loaded;
  throw new Error(`the test's settings have problems: ${JSON.stringify(loaded.problems)}`);
}
