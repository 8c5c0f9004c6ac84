// Which code a gateway runs in a drill: ours, or that of an older commit, whose store is looked at in another way.
import { join } from "node:path";
import type { LaunchOptions } from "../support/process.ts";
import type { Lab } from "../system/lab.ts";
import { configFor } from "../upgrade/old-node.ts";
import { type Eyes, eyesOnOld, ownEyes } from "./eyes.ts";

export type Code = { launch(lab: Lab): Partial<LaunchOptions>; eyes(lab: Lab): Promise<Eyes> };

export const ownCode: Code = { launch: () => ({}), eyes: ownEyes };

/** `folder`: where the older code is, ready to run. On SQLite. */
export function codeIn(folder: string): Code {
  const program = join(folder, "bin", "rouse.mjs");
  return { launch: (lab) => ({ program, config: configFor(lab, program) }), eyes: eyesOnOld };
}
