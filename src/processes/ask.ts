// One question to a program, as a line on its standard input, and its answer, as a line on its standard output. It
// runs in a process group of its own, without a shell, and nothing of it is left when the question is answered.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";

export type Question<T> = {
  command: readonly string[];
  line: string;
  /** Null for a line that is not the answer: programs print to standard output what belongs elsewhere. */
  readLine: (line: string) => T | null;
  timeoutMs: number;
  /** From a polite end to a forced one. */
  graceMs: number;
};

export type ProgramEnd<T> =
  | { kind: "answered"; answer: T }
  | { kind: "not-started"; code: string }
  | { kind: "ended"; exitCode: number | null; errorTail: string }
  | { kind: "stopped" }
  | { kind: "late" };

const longestLine = 1_000_000;
const longestTail = 2000;
/** How long output may stay open after the program has ended, held by something it left behind. */
const leftOpenMs = 1000;
/** What a program needs of our environment, ssh included, and none of our secrets. */
const sharedNames = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "USER",
  "LOGNAME",
  "SHELL",
  "SSH_AUTH_SOCK",
];

export function askProgram<T>(question: Question<T>, signal: AbortSignal): Promise<ProgramEnd<T>> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd<T>>();
  const child = start(question.command);
  const errorTail = keepTail(child.stderr);
  let end: ProgramEnd<T> | null = null;
  let killer: NodeJS.Timeout | undefined;
  let isGone = false;

  /** The first word on how it went is the last; then the program goes. */
  const finish = (found: ProgramEnd<T>) => {
    if (end !== null) return;
    end = found;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    if (isGone) return leave();
    child.stdin.end();
    signalGroup(child, "SIGTERM");
    killer = setTimeout(() => signalGroup(child, "SIGKILL"), question.graceMs);
  };
  const leave = () => {
    clearTimeout(killer);
    signalGroup(child, "SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
    if (end !== null) resolve(end);
  };
  const stop = () => finish({ kind: "stopped" });
  const timer = setTimeout(() => finish({ kind: "late" }), question.timeoutMs);
  const ended = () => finish({ kind: "ended", exitCode: child.exitCode, errorTail: errorTail() });

  child.on("error", (fault) => {
    // Later errors are failed kills; the end still comes.
    if (child.pid !== undefined) return;
    isGone = true;
    finish({ kind: "not-started", code: "code" in fault ? String(fault.code) : "unknown fault" });
  });
  child.on("exit", () => {
    isGone = true;
    if (end !== null) leave();
    else killer = setTimeout(ended, leftOpenMs);
  });
  child.on("close", () => {
    if (child.pid !== undefined) ended();
  });
  onLines(child.stdout, (line) => {
    const answer = question.readLine(line);
    if (answer !== null) finish({ kind: "answered", answer });
  });
  // It may end without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.write(`${question.line}\n`);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}

function start([program = "", ...args]: readonly string[]): ChildProcessWithoutNullStreams {
  const env: Record<string, string> = {};
  for (const name of sharedNames) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return spawn(program, args, { env, detached: true, stdio: "pipe" });
}

function signalGroup({ pid }: ChildProcessWithoutNullStreams, name: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The group is gone already.
  }
}

/** What came last may lack its line break. A line longer than can be held is not the answer. */
function onLines(stdout: Readable, take: (line: string) => void): void {
  let rest = "";
  stdout.setEncoding("utf8");
  stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) take(line);
  });
  stdout.on("end", () => take(rest));
}

function keepTail(stderr: Readable): () => string {
  let tail = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-longestTail);
  });
  return () => tail;
}
