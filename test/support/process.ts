// A real gateway process on a config file: starts, reads its log, stops, kills.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type LogEntry = { level: string; message: string; setting?: string; runId?: string; kind?: string };

export type GatewayProcess = {
  pid: number;
  /** The address of the ready line; rejects when the process ends before it. */
  ready: Promise<string>;
  exited: Promise<Exit>;
  output(): string;
  /** What it has logged so far; the process logs JSON on standard error. */
  log(): LogEntry[];
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM; resolves with how the process ended. */
  stop(): Promise<Exit>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
};

export const program = fileURLToPath(new URL("../../bin/rouse.mjs", import.meta.url));

const readyLine = /^rouse listening on (http:\/\/\S+)$/m;

/** `limit` goes before the command in a shell, such as `ulimit -f 100`. */
export type LaunchOptions = {
  config: string;
  env?: NodeJS.ProcessEnv;
  limit?: string;
  /** Replaces this checkout's. */
  program?: string;
  /** Replaces a free one. */
  port?: number;
};

export function launchGateway(options: LaunchOptions): GatewayProcess {
  const { config, env, limit, program: file = program, port = 0 } = options;
  const command = [process.execPath, file, "serve", "--config", config, "--port", String(port)];
  const [first = "", ...args] = limit ? ["sh", "-c", `${limit}; exec "$@"`, "sh", ...command] : command;
  const child = spawn(first, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  return watchProcess(child);
}

/** Resolves when the gateway is ready. */
export async function startGatewayProcess(options: LaunchOptions): Promise<GatewayProcess & { url: string }> {
  const gateway = launchGateway(options);
  return { ...gateway, url: await gateway.ready };
}

export function watchProcess(child: ChildProcess): GatewayProcess {
  let output = "";
  let errors = "";
  const ready = Promise.withResolvers<string>();
  const gone = Promise.withResolvers<Exit>();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const url = readyLine.exec(output)?.[1];
    if (url) ready.resolve(url);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.on("error", (fault) => gone.reject(fault));
  child.on("close", (code, signal) => {
    ready.reject(new Error(`the gateway ended before it was ready (${code ?? signal}):\n${output}${errors}`));
    gone.resolve({ code, signal });
  });
  // A test that never awaits it must not fail by its rejection.
  ready.promise.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    exited: gone.promise,
    output: () => output + errors,
    log: () => errors.split("\n").flatMap(toLogEntry),
    signal: (name) => void child.kill(name),
    stop() {
      child.kill("SIGTERM");
      return gone.promise;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone.promise;
    },
  };
}

function toLogEntry(line: string): LogEntry[] {
  try {
    return [JSON.parse(line) as LogEntry];
  } catch {
    return [];
  }
}

export type Reply = {
  status: number;
  body: Record<string, unknown>;
  replayed: boolean;
  retryAfter: string | null;
};

export type Post = {
  url: string;
  hook: string;
  token: string;
  /** Sent unchanged, so that a repeated request has the same bytes. */
  body: string;
  key?: string | null;
};

/** One request to a hook. Rejects when no response comes. */
export async function post({ url, hook, token, body, key }: Post): Promise<Reply> {
  const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  if (key) headers.set("idempotency-key", key);
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(`${url}/hooks/${hook}`, { method: "POST", headers, body, signal });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    replayed: response.headers.get("idempotent-replayed") === "true",
    retryAfter: response.headers.get("retry-after"),
  };
}

/** Polls until `check` returns something; the bound is for a test that will fail. */
export async function until<T>(
  what: string,
  check: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  { withinMs = 60_000, everyMs = 20 } = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what} did not come about within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** A process that has ended and was not reaped yet does not count. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
