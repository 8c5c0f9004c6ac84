// A child process as the leader of a process group, so that a signal reaches everything it started.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";

export type GroupOptions = {
  command: string;
  args: readonly string[];
  /** Where it runs; without one, where the gateway runs. */
  folder?: string;
  env: Record<string, string>;
};

const errorTailBytes = 2000;

export const startGroup = ({ command, args, folder, env }: GroupOptions): ChildProcessWithoutNullStreams =>
  spawn(command, args, { cwd: folder, env, detached: true, stdio: "pipe" });

export function signalGroup(group: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (group === undefined) return;
  try {
    process.kill(-group, name);
  } catch {
    // The group is gone already.
  }
}

/** The end of a stream. `isCut`: its beginning is no longer kept. */
export type Tail = { text: string; isCut: boolean };

/** Reads to the end, keeping the last of it. */
export function keepTail(stream: Readable): () => Tail {
  let tail: Buffer = Buffer.alloc(0);
  let isCut = false;
  stream.on("data", (chunk: Buffer) => {
    isCut ||= tail.length + chunk.length > errorTailBytes;
    // Of a chunk that is long in itself nothing else has to be copied.
    tail = Buffer.concat([tail, chunk.subarray(-errorTailBytes)]).subarray(-errorTailBytes);
  });
  return () => ({ text: tail.toString("utf8"), isCut });
}
