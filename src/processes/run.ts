// One child process in a group of its own: input in, output out, and nothing of it left when it is stopped.
//
// `spawn`'s own signal option stops only the direct child, and a grandchild keeps running; so the whole group is
// signalled: SIGTERM, after `graceMs` SIGKILL, and SIGKILL once more when the direct child has ended.
import { codeOf } from "../core/errors.ts";
import { type GroupOptions, keepTail, signalGroup, startGroup } from "./group.ts";

export type ProcessOptions = GroupOptions & {
  input: string;
  outputLimitBytes: number;
  graceMs: number;
  /** Takes the output, all of it, which is then not kept here. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Told the number of the process group as soon as there is one. */
  onStarted?: (group: number) => void;
};

export type ProcessEnd =
  | { kind: "exited"; exitCode: number; output: string; errorTail: string }
  | { kind: "killed"; by: string; errorTail: string }
  | { kind: "too-much-output" }
  | { kind: "stopped" }
  | { kind: "not-started"; code: string };

/** How long output may stay open after the child has ended, held by something it left behind. */
const leftOpenMs = 1000;

export function runProcess(options: ProcessOptions, signal: AbortSignal): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const { graceMs, outputLimitBytes } = options;
  const child = startGroup(options);
  if (child.pid !== undefined) options.onStarted?.(child.pid);
  const output: Buffer[] = [];
  let outputBytes = 0;
  const errorTail = keepTail(child.stderr);
  let forced: "too-much-output" | "stopped" | null = null;
  let timer: NodeJS.Timeout | undefined;

  const stop = () => {
    forced ??= "stopped";
    const childGone = child.exitCode !== null || child.signalCode !== null;
    signalGroup(child.pid, childGone ? "SIGKILL" : "SIGTERM");
    timer ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
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
    const tail = errorTail();
    if (exitCode === null) return finish({ kind: "killed", by: by ?? "a signal", errorTail: tail });
    finish({ kind: "exited", exitCode, output: Buffer.concat(output).toString("utf8"), errorTail: tail });
  };

  child.stdout.on("data", (chunk: Buffer) => {
    if (options.onOutput) return options.onOutput(chunk);
    outputBytes += chunk.length;
    if (outputBytes <= outputLimitBytes) output.push(chunk);
    else if (!forced) {
      forced = "too-much-output";
      signalGroup(child.pid, "SIGKILL");
    }
  });
  child.on("error", (fault) => {
    // Later errors are failed kills; the end still comes.
    if (child.pid === undefined) finish({ kind: "not-started", code: codeOf(fault) });
  });
  child.on("exit", (exitCode, by) => {
    clearTimeout(timer);
    if (forced) signalGroup(child.pid, "SIGKILL");
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
