// A node of an older commit: its configuration, and its refusal to start on a newer store.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchOptions } from "../support/process.ts";
import type { Lab } from "../system/lab.ts";

export type Versions = { old: number; new: number };

/** Without what the old code does not know yet. */
export function configFor(lab: Lab, program: string): string {
  const file = join(lab.folder, "old.jsonc");
  const copy = (hooks: object): void =>
    writeFileSync(file, JSON.stringify({ ...lab.settings(), hooks: { ...lab.settings().hooks, ...hooks } }), {
      mode: 0o600,
    });
  copy({});
  const check = () => spawnSync(process.execPath, [program, "check", "--config", file], { encoding: "utf8" });
  if (check().status === 0) return file;
  copy({ budget: undefined });
  const { status, stderr, stdout } = check();
  if (status !== 0) throw new Error(`the old code does not take the configuration:\n${stdout}${stderr}`);
  return file;
}

/** An old node that starts only now must say that it is too old, and change nothing. */
export async function startFaults(
  lab: Lab,
  launch: Partial<LaunchOptions>,
  versions: Versions,
): Promise<string[]> {
  const late = lab.launch(launch);
  const { code } = await late.exited;
  const says = `The store has version ${versions.new}, this Rouse knows up to ${versions.old}.`;
  return code === 1 && late.output().includes(says)
    ? []
    : [`an old node that starts on the new schema ended with ${code}: ${late.output()}`];
}
