// An agent's instructions come first in every prompt. They are in the config, or in a file of the agent's workspace,
// which is read for each run, so that its owner can edit it at any time.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { AgentConfig } from "../config/config.ts";
import { readRegularFile } from "../config/read/regular-file.ts";
import { faultKind } from "../core/errors.ts";

const longestInstructions = 262_144;

export type Instructions = { ok: true; text: string | null } | { ok: false; reason: string };

export async function readInstructions(
  config: Pick<AgentConfig, "instructions" | "instructionsFile" | "workspace">,
): Promise<Instructions> {
  if (config.instructionsFile === null) return { ok: true, text: config.instructions };
  try {
    const [file, workspace] = await Promise.all([
      realpath(config.instructionsFile),
      realpath(config.workspace),
    ]);
    if (!file.startsWith(workspace + sep))
      return { ok: false, reason: "the instructions file is outside of the agent's workspace" };
    const text = (await readRegularFile(file)).toString("utf8");
    if ((await realpath(file)) !== file)
      return { ok: false, reason: "the instructions file was swapped for a link while it was read" };
    return text.length > longestInstructions
      ? { ok: false, reason: `the instructions file has more than ${longestInstructions} characters` }
      : { ok: true, text };
  } catch (fault) {
    return { ok: false, reason: `the instructions file cannot be read (${faultKind(fault)})` };
  }
}
