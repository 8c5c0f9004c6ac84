// Start to ready, and memory when idle, from the second start on (the compile cache is warm then).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeConfig } from "./processes.ts";
import { median } from "./statistics.ts";

const command = fileURLToPath(new URL("../bin/rouse.mjs", import.meta.url));

export async function measureStart(starts = 7): Promise<void> {
  const config = writeConfig({});
  const times: number[] = [];
  const memories: number[] = [];
  for (let index = 0; index < starts; index++) {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [command, "serve", "--config", config, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const readyMs = performance.now() - startedAt;
    // Idle is what remains once the start has settled.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
    child.kill("SIGTERM");
    await once(child, "exit");
    if (index === 0) continue;
    times.push(readyMs);
    memories.push(Number(resident?.[1]) / 1024);
  }
  console.log(
    `\nStart to ready ${median(times).toFixed(0)} ms, idle memory ${median(memories).toFixed(0)} MB (medians of ${times.length} starts after the first)`,
  );
}
