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
  /** In place of the agent that keeps a journal. */
  program?: string;
  channels?: object;
  /** More of these sections. */
  gateway?: object;
  hooks?: object;
};

/** One line of the journal. An attempt is one process of the agent. */
export type Note = { kind: "begin" | "step" | "end"; runId: string; attempt: string; sessionKey: string };

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
    /** What is in its config, unless something else was written. */
    settings: () => written(),
    writeSettings,
    writeConfig,
    launch,
    async start(options: Partial<LaunchOptions> = {}) {
      const gateway = launch(options);
      return { ...gateway, url: await gateway.ready };
    },
    /** Lets agents go on that hold for this name. */
    letGo: (name: string): void => writeFileSync(join(folder, name), ""),
    /** Whether some turns of the main session fail. */
    setMoody: (moody: boolean): void =>
      moody ? writeFileSync(join(folder, "moody"), "") : rmSync(join(folder, "moody"), { force: true }),
    /** Looks at the store beside the gateways that run on it. */
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
    /** What each attempt of a heartbeat was shown, by attempt. */
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

/** For a node whose clock is wrong by so much. */
export const clockWrongBy = (ms: number): NodeJS.ProcessEnv => {
  const code = `const right = Date.now; Date.now = () => right() + ${ms};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

/** A lab that is gone with its processes when the test ends. */
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
  if (kind !== "begin" && kind !== "step" && kind !== "end") return [];
  return [{ kind, runId: runId ?? "", attempt: `${runId}/${pid}`, sessionKey: sessionKey ?? "" }];
}

type Asked = { message: string; sessionKey?: string; name?: string; wakeMode?: "now" | "next-heartbeat" };

export const agentBody = (asked: Asked): string =>
  JSON.stringify({ deliver: false, wakeMode: "next-heartbeat", ...asked });

export const wakeBody = (text: string, mode: "now" | "next-heartbeat" = "now"): string =>
  JSON.stringify({ text, mode });

/** Sends to the agent and answers the run's id; anything but 202 is an error. */
export async function sendAgent(url: string, asked: Asked): Promise<string> {
  const reply = await post({ url, hook: "agent", token, body: agentBody(asked) });
  if (reply.status !== 202)
    throw new Error(`expected 202, got ${reply.status} ${JSON.stringify(reply.body)}`);
  return String(reply.body["runId"]);
}

export const sendWake = (url: string, text: string, mode?: "now" | "next-heartbeat"): Promise<Reply> =>
  post({ url, hook: "wake", token, body: wakeBody(text, mode) });

export const begun = (lab: Lab, runId: string): Promise<Note> =>
  until(`the run ${runId} begins`, () =>
    lab.journal().find((note) => note.kind === "begin" && note.runId === runId),
  );

export const ended = (store: Store, runId: string): Promise<Run> =>
  until(`the run ${runId} ends`, async () => {
    const run = await store.findRun(runId);
    return run?.endedAt ? run : null;
  });

/** Attempts of the journal that went on while a later one of the same session had begun. */
export function overlaps(journal: readonly Note[]): string[] {
  const current = new Map<string, string>();
  const faults = new Set<string>();
  for (const { kind, attempt, sessionKey } of journal) {
    if (kind === "begin") current.set(sessionKey, attempt);
    else if (current.get(sessionKey) !== attempt)
      faults.add(`${attempt} went on after ${current.get(sessionKey)} had begun in ${sessionKey}`);
  }
  return [...faults];
}
