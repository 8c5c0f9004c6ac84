// The program of an agent that is spoken with: one process group for one turn, and nothing of it left afterwards.
import type { Readable, Writable } from "node:stream";
import { codeOf } from "../core/errors.ts";
import { type GroupOptions, keepTail, signalGroup, startGroup } from "./group.ts";

export type ProgramOptions = GroupOptions & {
  graceMs: number;
  /** Told the number of the process group as soon as there is one. */
  onStarted: (group: number) => void;
};

export type ProgramEnd =
  | { kind: "not-started"; code: string }
  | { kind: "ended"; exitCode: number | null; by: string | null; forced: boolean; errorTail: string };

export type Program = {
  input: Writable;
  output: Readable;
  /** Closes its input; after `leaveMs` SIGTERM to the group, after `graceMs` more SIGKILL. Resolves when it is gone. */
  end(leaveMs: number): Promise<ProgramEnd>;
};

/** How long output may stay open after the program has ended, held by something it left behind. */
const leftOpenMs = 1000;

export function startProgram(options: ProgramOptions): Program {
  const child = startGroup(options);
  if (child.pid !== undefined) options.onStarted(child.pid);
  const errorTail = keepTail(child.stderr);
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
  const timers: NodeJS.Timeout[] = [];
  let forced = false;
  let isGone = false;

  const later = (afterMs: number, act: () => void) => timers.push(setTimeout(act, afterMs));
  const force = (name: "SIGTERM" | "SIGKILL") => {
    forced = true;
    signalGroup(child.pid, name);
  };
  const finish = (end: ProgramEnd) => {
    isGone = true;
    for (const timer of timers) clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve(end);
  };
  const gone = (exitCode: number | null, by: string | null) =>
    finish({ kind: "ended", exitCode, by, forced, errorTail: errorTail() });

  child.on("error", (fault) => {
    // Later errors are failed kills; the end still comes.
    if (child.pid === undefined) finish({ kind: "not-started", code: codeOf(fault) });
  });
  child.on("exit", (exitCode, by) => {
    signalGroup(child.pid, "SIGKILL");
    later(leftOpenMs, () => gone(exitCode, by));
  });
  child.on("close", gone);
  // It may end without reading its input.
  child.stdin.on("error", () => {});

  return {
    input: child.stdin,
    output: child.stdout,
    end(leaveMs) {
      if (isGone) return ended;
      child.stdin.end();
      later(leaveMs, () => force("SIGTERM"));
      later(leaveMs + options.graceMs, () => force("SIGKILL"));
      return ended;
    },
  };
}
