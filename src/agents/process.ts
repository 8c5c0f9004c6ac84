// One child process in a group of its own: input in, output out, and nothing of it left when it is stopped.
//
// `spawn`'s own signal option stops only the direct child, and a grandchild keeps running; so the whole group is
// signalled: SIGTERM, after `graceMs` SIGKILL, and SIGKILL once more when the direct child has ended.
import { spawn } from "node:child_process";

export type ProcessOptions = {
  command: string;
  args: readonly string[];
  folder: string;
  env: Record<string, string>;
  input: string;
  outputLimitBytes: number;
  graceMs: number;
  /** Told the number of the process group as soon as there is one. */
  onStarted?: (group: number) => void;
};

export type ProcessEnd =
  | { kind: "exited"; exitCode: number; output: string; errorTail: string }
  | { kind: "killed"; by: string; errorTail: string }
  | { kind: "too-much-output" }
  | { kind: "stopped" }
  | { kind: "not-started"; code: string };

const errorTailBytes = 2000;
/** How long output may stay open after the child has ended, held by something it left behind. */
const leftOpenMs = 1000;

export function runProcess(options: ProcessOptions, signal: AbortSignal): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const { graceMs, outputLimitBytes } = options;
  const child = spawn(options.command, options.args, {
    cwd: options.folder,
    env: options.env,
    detached: true,
    stdio: "pipe",
  });
  if (child.pid !== undefined) options.onStarted?.(child.pid);
  const output: Buffer[] = [];
  let outputBytes = 0;
  let errorTail: Buffer = Buffer.alloc(0);
  let forced: "too-much-output" | "stopped" | null = null;
  let timer: NodeJS.Timeout | undefined;

  const signalGroup = (name: "SIGTERM" | "SIGKILL") => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // The group is gone already.
    }
  };
  const stop = () => {
    forced ??= "stopped";
    const childGone = child.exitCode !== null || child.signalCode !== null;
    signalGroup(childGone ? "SIGKILL" : "SIGTERM");
    timer ??= setTimeout(() => signalGroup("SIGKILL"), graceMs);
  };
  const finish = (end: ProcessEnd) => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve(end);
  };
  const ended = (exitCode: number | null, by: string | null) => {
    if (forced) return finish({ kind: forced });
    const tail = errorTail.toString("utf8");
    if (exitCode === null) return finish({ kind: "killed", by: by ?? "a signal", errorTail: tail });
    finish({ kind: "exited", exitCode, output: Buffer.concat(output).toString("utf8"), errorTail: tail });
  };

  child.stdout.on("data", (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes <= outputLimitBytes) output.push(chunk);
    else if (!forced) {
      forced = "too-much-output";
      signalGroup("SIGKILL");
    }
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errorTail = Buffer.concat([errorTail, chunk]).subarray(-errorTailBytes);
  });
  child.on("error", (fault) => {
    // Later errors are failed kills; the end still comes.
    if (child.pid === undefined) finish({ kind: "not-started", code: codeOf(fault) });
  });
  child.on("exit", (exitCode, by) => {
    clearTimeout(timer);
    if (forced) signalGroup("SIGKILL");
    timer = setTimeout(() => ended(exitCode, by), leftOpenMs);
  });
  child.on("close", ended);
  // A program may end without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}

export const codeOf = (fault: unknown): string =>
  fault instanceof Error && "code" in fault && typeof fault.code === "string" ? fault.code : "unknown fault";
