// Starting what is measured and what measures, each in a process of its own.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadOrder, LoadResult } from "./load.ts";

export const token = "bench-token-0123456789-0123456789-0123456789";

const started = new Set<ChildProcess>();
const folders = new Set<string>();

function start(script: string, ...args: string[]): ChildProcess {
  const child = fork(new URL(script, import.meta.url), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

const message = async <T>(child: ChildProcess): Promise<T> => {
  const [received] = (await once(child, "message")) as [T];
  return received;
};

export type Measured = { port: number; child: ChildProcess };

export async function startFloor(): Promise<Measured> {
  const child = start("./floor.ts");
  return { child, ...(await message<{ port: number }>(child)) };
}

/**
 * The agent sleeps, as real ones mostly do from here: four runs are under way and the rest wait, so that what is
 * measured is accepting.
 */
export function writeConfig(settings: { store?: object } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "rouse-bench-"));
  folders.add(folder);
  const file = join(folder, "rouse.jsonc");
  const config = {
    hooks: { enabled: true, token, maxQueued: 100_000_000, authFailures: { max: 1, windowSeconds: 86_400 } },
    agents: { list: [{ id: "main", kind: "command", command: "sleep", args: ["3600"] }] },
    log: { level: "error" },
    ...settings,
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

export async function startMeasuredGateway(config: string): Promise<Measured> {
  const child = start("./gateway.ts", config);
  return { child, ...(await message<{ port: number }>(child)) };
}

export type GroupReport = { groups: number; members: number; rssBytes: number };

export async function reportOf({ child }: Measured): Promise<GroupReport> {
  child.send("report");
  return message<GroupReport>(child);
}

export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const child = start("./load.ts");
  child.send(order);
  const result = await message<LoadResult>(child);
  await end(child);
  return result;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Sleeping agents outlive a killed gateway; a clean stop takes them along. */
export async function stopGateway({ child }: Measured): Promise<void> {
  await end(child);
}

export async function cleanUp(): Promise<void> {
  await Promise.all([...started].map(end));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
