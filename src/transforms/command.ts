// How a process that runs transforms is started: in a group of its own, with limits, with a pipe for messages, and
// without the gateway's environment.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Duplex } from "node:stream";
import { sharedEnvironment } from "../processes/environment.ts";
import { messageDescriptor } from "./frames.ts";
import { memoryMb } from "./watch.ts";

const nodeOptions = [`--max-old-space-size=${memoryMb}`, "--max-semi-space-size=8"];

/** Node reserves about 600 MB of address space that count here, and uses few of them. */
const dataKilobytes = 1_572_864;

/**
 * A shell sets the limits and becomes Node. A limit that the system refuses is left out: the others hold. No core is
 * dumped, because it would hold payloads. When memory runs out, Linux ends this process before the gateway.
 */
const limited = `limit() { (ulimit "$@") 2>/dev/null && ulimit "$@"; }
limit -c 0
limit -d ${dataKilobytes}
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec "$@"`;
const shell = "/bin/sh";

export type Spawned = { child: ChildProcess; pid: number; pipe: Duplex };

/** Throws where the system refuses at once to start it. */
export function spawnProcess(withOutput: boolean): Spawned {
  // Compiled, this file is .js and so is the process's.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
  const node = [process.execPath, ...nodeOptions, entry];
  const [command = "", ...args] = existsSync(shell) ? [shell, "-c", limited, shell, ...node] : node;
  const output = withOutput ? "pipe" : "ignore";
  const child = spawn(command, args, {
    env: sharedEnvironment([], process.env),
    detached: true,
    stdio: ["ignore", output, output, "pipe"],
  });
  // Later errors are failed kills; without a process id, the caller is told below.
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error("the system refuses another process");
  return { child, pid, pipe: child.stdio[messageDescriptor] as Duplex };
}
