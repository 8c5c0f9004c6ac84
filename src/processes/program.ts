// A program from its start to its end: the one way in which Rouse runs a child process for an agent, a channel or an
// MCP server. It has a process group of its own that the reaper knows. `run`, `ask` and MCP's stdio build on it.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { codeOf } from "../core/errors.ts";
import { type GroupOptions, keepTail, signalGroup, startGroup, type Tail } from "./group.ts";
import type { Mask } from "./mask.ts";
import type { Hold, Reaper } from "./reaper.ts";

export type ProgramOptions = GroupOptions & {
  reaper: Reaper;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  /** Processes that it leaves in its group when it ends by itself go on running; else they are killed. */
  keepsLeftovers?: boolean;
  /** Hides what must not be shown in what is kept of its standard error. */
  mask?: Mask;
  /** Called with each piece that it writes to standard error; what is kept of all of it is read when asked for. */
  onErrorOutput?: ((tail: () => Tail) => void) | undefined;
};

/** `forced`: it got a signal of ours before it ended. */
export type ProgramEnd =
  | { kind: "not-started"; code: string }
  | { kind: "ended"; exitCode: number | null; by: string | null; forced: boolean; errorTail: string };

export type Program = {
  input: Writable;
  output: Readable;
  /** Its standard error, whose tail is kept, too. */
  errors: Readable;
  /** Resolves when it runs or could not be started. */
  started: Promise<void>;
  /** Resolves when it has ended and its output was read. */
  ended: Promise<ProgramEnd>;
  /** SIGTERM to its group, after the grace SIGKILL. The rest of its output is dropped. */
  stop(): void;
  /** SIGKILL to its group. */
  kill(): void;
  /** Closes its input. Signals come as with `stop`, but only if it is still there after so long. */
  leave(afterMs: number): Promise<ProgramEnd>;
};

/** How long output may stay open after the program has ended, held by something it left behind. */
const leftOpenMs = 1000;

/** Throws where the system refuses at once to start it. Long: the steps of one life share its state. */
export function startProgram({
  reaper,
  graceMs,
  keepsLeftovers = false,
  mask = (text) => text,
  onErrorOutput,
  ...options
}: ProgramOptions): Program {
  const { child, hold } = startHeld(options, reaper);
  const errorTail = readTail(child.stderr, mask, onErrorOutput);
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<ProgramEnd>();
  let timers: NodeJS.Timeout[] = [];
  let state: "running" | "exited" | "ended" = "running";
  let isForced = false;
  let isOutputWanted = true;

  const later = (afterMs: number, act: () => void) => timers.push(setTimeout(act, afterMs));
  const clearTimers = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const signal = (name: "SIGTERM" | "SIGKILL") => {
    isForced ||= state === "running";
    signalGroup(child.pid, name);
  };
  const terminate = () => {
    if (state !== "running") return signal("SIGKILL");
    signal("SIGTERM");
    later(graceMs, () => signal("SIGKILL"));
  };
  const finish = (end: ProgramEnd) => {
    if (state === "ended") return;
    state = "ended";
    clearTimers();
    child.stdout.destroy();
    child.stderr.destroy();
    hold.release();
    started.resolve();
    ended.resolve(end);
  };

  child.on("spawn", started.resolve);
  child.on("error", (fault) => {
    // Later errors are failed kills; the end still comes.
    if (child.pid === undefined) finish({ kind: "not-started", code: codeOf(fault) });
  });
  child.on("exit", (exitCode, by) => {
    state = "exited";
    clearTimers();
    if (isForced || !keepsLeftovers) signal("SIGKILL");
    const gone = () => finish({ kind: "ended", exitCode, by, forced: isForced, errorTail: errorTail().text });
    if (!isOutputWanted) return gone();
    child.on("close", gone);
    later(leftOpenMs, gone);
  });
  // It may end without reading its input.
  child.stdin.on("error", () => {});

  return {
    input: child.stdin,
    output: child.stdout,
    errors: child.stderr,
    started: started.promise,
    ended: ended.promise,
    stop() {
      isOutputWanted = false;
      if (state !== "ended") terminate();
    },
    kill: () => signal("SIGKILL"),
    leave(afterMs) {
      child.stdin.end();
      if (state === "running") later(afterMs, terminate);
      return ended.promise;
    },
  };
}

function readTail(stream: Readable, mask: Mask, onErrorOutput: ProgramOptions["onErrorOutput"]): () => Tail {
  const kept = keepTail(stream);
  const tail = () => {
    const { text, isCut } = kept();
    return { text: mask(text), isCut };
  };
  if (onErrorOutput) stream.on("data", () => onErrorOutput(tail));
  return tail;
}

function startHeld(
  options: GroupOptions,
  reaper: Reaper,
): { child: ChildProcessWithoutNullStreams; hold: Hold } {
  const hold = reaper.hold();
  try {
    const child = startGroup(options);
    if (child.pid !== undefined) hold.add(child.pid);
    return { child, hold };
  } catch (fault) {
    hold.release();
    throw fault;
  }
}
