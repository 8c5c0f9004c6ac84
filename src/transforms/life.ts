// The life of a process that runs transforms, from its start until it and all it has started have ended, and its pipe
// has been read to the end.
import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import { signalGroup } from "../processes/group.ts";
import type { Hold, Reaper } from "../processes/reaper.ts";
import { type Spawned, spawnProcess } from "./command.ts";
import { tooMuchMemory } from "./watch.ts";

export type Life = {
  readonly pid: number;
  readonly pipe: Duplex;
  hasExited(): boolean;
  /** SIGKILL to its group. */
  kill(): void;
  /** Says how it ended. */
  readonly ended: Promise<string>;
};

type LifeOptions = { reaper: Reaper; onOutput: ((text: string) => void) | undefined };

/** How long the pipe may stay open after the process, held by something that left its group. */
const leftOpenMs = 1_000;
const mostOutput = 1_000_000;

/** Throws where the system refuses to start it. The reaper ends it should the gateway be killed. */
export function startLife({ reaper, onOutput }: LifeOptions): Life {
  const hold = reaper.hold();
  try {
    return watchLife(spawnProcess(onOutput !== undefined), hold, onOutput);
  } catch (fault) {
    hold.release();
    throw fault;
  }
}

function watchLife({ child, pid, pipe }: Spawned, hold: Hold, onOutput: LifeOptions["onOutput"]): Life {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let how: string | null = null;
  let isRead = false;
  const kill = (): void => signalGroup(pid, "SIGKILL");
  const finish = (): void => {
    if (how === null) return;
    clearTimeout(timer);
    pipe.destroy();
    hold.release();
    resolve(how);
  };
  let timer: NodeJS.Timeout | undefined;
  hold.add(pid);
  child.on("exit", (code, by) => {
    how = howItEnded(code, by);
    kill();
    if (isRead) finish();
    else timer = setTimeout(finish, leftOpenMs);
  });
  pipe.on("close", () => {
    isRead = true;
    if (how === null) kill();
    else finish();
  });
  // It may end without reading what it is sent.
  pipe.on("error", () => {});
  if (onOutput) passOutput(child, onOutput);
  return { pid, pipe, hasExited: () => how !== null, kill, ended };
}

/** The first of what it prints; the rest is read and dropped. */
function passOutput({ stdout, stderr }: ChildProcess, onOutput: (text: string) => void): void {
  let left = mostOutput;
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (left > 0) onOutput(text.slice(0, left));
      left -= text.length;
    });
}

/** Node aborts when its heap is full. */
function howItEnded(code: number | null, by: string | null): string {
  if (by === "SIGABRT") return tooMuchMemory;
  return code === null ? `its process was ended by ${by}` : "it ended its process, as process.exit() does";
}
