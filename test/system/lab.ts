// A lab: a folder with a config, a store of its own and an agent that keeps a journal.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import type { Run } from "../../src/core/run.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import type { Store } from "../../src/store/ports/store.ts";
import {
  type GatewayProcess,
  launchGateway,
  type LaunchOptions,
  post,
  type Reply,
  until,
} from "../support/process.ts";

export const token = "lab-token-that-is-long-enough-for-anyone";

export type LabOptions = {
  /** A PostgreSQL address; without it the store is SQLite in the lab's folder. */
  databaseUrl?: string | null;
  settings?: LabSettings;
};

export type LabSettings = {
  drainSeconds?: number;
  leaseSeconds?: number;
  maxAttempts?: number;
  maxConcurrent?: number;
  heartbeatEvery?: string;
  tokens?: readonly string[];
  port?: number;
  /** Replaces the agent that keeps a journal. */
  program?: string;
  channels?: object;
  /** Further settings of these sections. */
  gateway?: object;
  hooks?: object;
};

/** One line of the journal. An attempt is one process of the agent. */
export type Note = { kind: "start" | "step" | "end"; runId: string; attempt: string; sessionKey: string };

export type Lab = ReturnType<typeof createLab>;

const agentProgram = fileURLToPath(new URL("./agent.sh", import.meta.url));

export function createLab({ databaseUrl = null, settings = {} }: LabOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "rouse-lab-"));
  const config = join(folder, "rouse.jsonc");
  const journalFile = join(folder, "journal");
  const started: GatewayProcess[] = [];
  const stores: Store[] = [];
  mkdirSync(join(folder, "prompts"));

  const written = (more: LabSettings = {}) => configOf({ databaseUrl, ...settings, ...more });
  const writeSettings = (more: LabSettings = {}): void => writeConfig(JSON.stringify(written(more), null, 2));
  const writeConfig = (text: string): void => {
    writeFileSync(config, text);
    chmodSync(config, 0o600);
  };
  writeSettings();

  const launch = (options: Partial<LaunchOptions> = {}): GatewayProcess => {
    const gateway = launchGateway({ config, ...options, env: { ...options.env, LAB: folder } });
    started.push(gateway);
    return gateway;
  };

  return {
    folder,
    config,
    /** The settings in its config, unless others were written. */
    settings: () => written(),
    writeSettings,
    writeConfig,
    launch,
    async start(options: Partial<LaunchOptions> = {}) {
      const gateway = launch(options);
      return { ...gateway, url: await gateway.ready };
    },
    /** Releases the agents that hold for this name. */
    release: (name: string): void => writeFileSync(join(folder, name), ""),
    /** Whether some turns of the main session fail. */
    setMoody: (moody: boolean): void =>
      moody ? writeFileSync(join(folder, "moody"), "") : rmSync(join(folder, "moody"), { force: true }),
    /** Opens the store beside the gateways that run on it. */
    async openStore(): Promise<Store> {
      const clock = systemClock;
      const store = databaseUrl
        ? await openPostgresStore({ url: databaseUrl, migrate: false, connections: 1 })
        : await openSqliteFile({ path: join(folder, "rouse.db"), clock });
      stores.push(store);
      return store;
    },
    journal: (): Note[] =>
      existsSync(journalFile) ? readFileSync(journalFile, "utf8").split("\n").flatMap(toNote) : [],
    /** The prompts of heartbeats, by attempt. */
    prompts: (): Map<string, string> =>
      new Map(
        readdirSync(join(folder, "prompts")).map((name) => [
          name.replace(".", "/"),
          readFileSync(join(folder, "prompts", name), "utf8"),
        ]),
      ),
    async remove(): Promise<void> {
      await Promise.all(started.map((gateway) => gateway.kill()));
      await Promise.all(stores.map((store) => store.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The environment of a node whose clock is wrong by this much. */
export const clockWrongBy = (ms: number): NodeJS.ProcessEnv => {
  const code = `const right = Date.now; Date.now = () => right() + ${ms};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

/** The environment of a node whose clock is set by the next of these steps at each SIGUSR2. */
export const settableClock = (steps: readonly number[]): NodeJS.ProcessEnv => {
  const code = `const right = Date.now; const steps = ${JSON.stringify(steps)}; let ahead = 0;
    Date.now = () => right() + ahead; process.on("SIGUSR2", () => { ahead += steps.shift() ?? 0; });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

/** A lab that is removed, with its processes, when the test ends. */
export function labFor(test: TestContext, options: LabOptions = {}): Lab {
  const lab = createLab(options);
  test.after(() => lab.remove());
  return lab;
}

const configOf = (settings: LabSettings & { databaseUrl: string | null }) => ({
  gateway: { port: settings.port ?? 4665, drainSeconds: settings.drainSeconds ?? 30, ...settings.gateway },
  hooks: {
    enabled: true,
    token: settings.tokens ?? token,
    allowRequestSessionKey: true,
    budget: { runsPerDay: 1_000_000 },
    allowedSessionKeyPrefixes: ["lab:", "hook:"],
    ...settings.hooks,
  },
  agents: {
    list: [{ id: "main", kind: "command", command: settings.program ?? agentProgram, env: ["LAB"] }],
    defaults: { heartbeat: { every: settings.heartbeatEvery ?? "0" } },
    maxConcurrent: settings.maxConcurrent ?? 4,
    maxAttempts: settings.maxAttempts ?? 3,
  },
  ...(settings.channels && { channels: settings.channels }),
  store: {
    ...(settings.databaseUrl !== null && { url: settings.databaseUrl }),
    leaseSeconds: settings.leaseSeconds ?? 15,
  },
  log: { level: "info", format: "json" },
});

function toNote(line: string): Note[] {
  const [kind, runId, pid, sessionKey] = line.split(" ");
  if (kind !== "start" && kind !== "step" && kind !== "end") return [];
  return [{ kind, runId: runId ?? "", attempt: `${runId}/${pid}`, sessionKey: sessionKey ?? "" }];
}

type Asked = { message: string; sessionKey?: string; name?: string; wakeMode?: "now" | "next-heartbeat" };

export const agentBody = (asked: Asked): string =>
  JSON.stringify({ deliver: false, wakeMode: "next-heartbeat", ...asked });

export const wakeBody = (text: string, mode: "now" | "next-heartbeat" = "now"): string =>
  JSON.stringify({ text, mode });

/** Sends to the agent hook and returns the run's id; any status but 202 is an error. */
export async function sendAgent(url: string, asked: Asked): Promise<string> {
  const reply = await post({ url, hook: "agent", token, body: agentBody(asked) });
  if (reply.status !== 202)
    throw new Error(`expected 202, got ${reply.status} ${JSON.stringify(reply.body)}`);
  return String(reply.body["runId"]);
}

export const sendWake = (url: string, text: string, mode?: "now" | "next-heartbeat"): Promise<Reply> =>
  post({ url, hook: "wake", token, body: wakeBody(text, mode) });

export const runStarted = (lab: Lab, runId: string): Promise<Note> =>
  until(`the run ${runId} starts`, () =>
    lab.journal().find((note) => note.kind === "start" && note.runId === runId),
  );

export const ended = (store: Store, runId: string): Promise<Run> =>
  until(`the run ${runId} ends`, async () => {
    const run = await store.findRun(runId);
    return run?.endedAt ? run : null;
  });

/** Attempts of the journal that went on after a later one of the same session had started. */
export function overlaps(journal: readonly Note[]): string[] {
  const current = new Map<string, string>();
  const faults = new Set<string>();
  for (const { kind, attempt, sessionKey } of journal) {
    if (kind === "start") current.set(sessionKey, attempt);
    else if (current.get(sessionKey) !== attempt)
      faults.add(`${attempt} went on after ${current.get(sessionKey)} had started in ${sessionKey}`);
  }
  return [...faults];
}
