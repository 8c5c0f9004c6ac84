// Resources for one measurement. `close` ends its processes, removes its folders and drops its databases.
import { fork, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadOrder, LoadResult } from "./processes/load.ts";
import { createDatabases, type Databases } from "./postgres.ts";

export type Effort = {
  /** Number and length of the turns of each contender. */
  rounds: number;
  seconds: number;
  /** Runs in the queue, and how long each contender works per turn; null: until the queue is empty. */
  queued: number;
  queueSeconds: number | null;
  queueTurns: number;
  stored: number;
  soakMinutes: number;
};

export type Lab = {
  effort: Effort;
  /** Starts a script of `processes/`. */
  start(script: string, ...args: string[]): ChildProcess;
  /** Starts any program in a process group of its own, without its output. */
  run(command: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
  end(child: ChildProcess): Promise<void>;
  folder(): string;
  databases: Databases;
  load(order: LoadOrder): Promise<LoadResult>;
  say(progress: string): void;
  /** Called before databases are dropped and folders removed. */
  onClose(end: () => Promise<void>): void;
  close(): Promise<void>;
};

export function createLab(effort: Effort, { profileFolder }: { profileFolder?: string } = {}): Lab {
  const started = new Set<ChildProcess>();
  const groups = new WeakSet<ChildProcess>();
  const profiled = new WeakSet<ChildProcess>();
  const folders = new Set<string>();
  const ends: (() => Promise<void>)[] = [];
  const databases = createDatabases();
  let generator: ChildProcess | undefined;

  const keep = (child: ChildProcess): ChildProcess => {
    started.add(child);
    child.once("exit", () => started.delete(child));
    return child;
  };
  const profiling = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const flags: Record<string, string[]> = {
    gateway: profiling,
    // The load generator collects its garbage between turns.
    load: ["--expose-gc", "--max-semi-space-size=64"],
  };
  const start = (script: string, ...args: string[]): ChildProcess => {
    const child = fork(new URL(`./processes/${script}.ts`, import.meta.url), args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      execArgv: flags[script] ?? [],
    });
    if (script === "gateway" && profiling.length > 0) profiled.add(child);
    return keep(child);
  };
  const end = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    if (profiled.has(child)) child.kill("SIGTERM");
    else if (groups.has(child) && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
    await gone;
  };

  return {
    effort,
    start,
    run(command, args, options = {}) {
      const child = keep(spawn(command, args, { stdio: "ignore", detached: true, ...options }));
      groups.add(child);
      return child;
    },
    end,
    folder() {
      const folder = mkdtempSync(join(tmpdir(), "rouse-bench-"));
      folders.add(folder);
      return folder;
    },
    databases,
    async load(order) {
      generator ??= start("load");
      generator.send(order);
      return messageFrom<LoadResult>(generator);
    },
    say(progress) {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${progress}`);
    },
    onClose(each) {
      ends.push(each);
    },
    async close() {
      await Promise.all([...started].map(end));
      for (const each of ends) await each();
      await databases.close();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    },
  };
}

/** The next message of a process; rejects when it ends instead. */
export async function messageFrom<T>(child: ChildProcess): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onExit = (code: number | null): void => reject(new Error(`a process of the bench ended (${code})`));
  child.once("message", resolve as (message: unknown) => void);
  child.once("exit", onExit);
  try {
    return await promise;
  } finally {
    child.off("exit", onExit);
    child.off("message", resolve as (message: unknown) => void);
  }
}

/** Resident memory of a process in megabytes; NaN where there is no /proc, like the next function. */
export const residentMegabytes = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(procFile(pid, "status"))?.[1]) / 1024;

/** Processor time of all threads of a process; the kernel counts in hundredths of a second. */
export function processorMicroseconds(pid: number | undefined): number {
  const stat = procFile(pid, "stat");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10_000;
}

function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
