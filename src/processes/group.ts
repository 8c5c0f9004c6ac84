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

/** Reads to the end, keeping the last of it. */
export function keepTail(stream: Readable): () => string {
  let tail: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-errorTailBytes);
  });
  return () => tail.toString("utf8");
}
