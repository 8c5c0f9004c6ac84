// Which of the tools is used: the one asked for, or the first that is installed and set up.
import { UsageError } from "../core/errors.ts";
import type { Reaper } from "../processes/reaper.ts";
import { runTool } from "./start.ts";
import { type Tool, tools } from "./tools.ts";

export type Chosen = { tool: Tool; command: string };

export type ChooseDeps = {
  find: (command: string) => string | null;
  env: NodeJS.ProcessEnv;
  reaper: Reaper;
};

/** `wanted`: the value of --with. */
export async function chooseTool(wanted: string | undefined, deps: ChooseDeps): Promise<Chosen> {
  const candidates = wanted === undefined ? tools : tools.filter(({ name }) => name === wanted);
  if (candidates.length === 0)
    throw new UsageError(
      `There is no tool ${wanted}. Those that work: ${tools.map(({ name }) => name).join(", ")}`,
    );
  const faults: string[] = [];
  for (const tool of candidates) {
    const command = tool.commands.map(deps.find).find((found) => found !== null) ?? null;
    if (command === null) faults.push(`${tool.name} is not installed: ${tool.install}`);
    else if (await isReady(tool, command, deps)) return { tool, command };
    else faults.push(`${tool.name} is installed, but not set up: ${tool.setUp}`);
  }
  const [only] = faults;
  throw new UsageError(
    faults.length === 1
      ? `${only}`
      : `None of the tools that lead here from outside can be used. Set up one of them:\n${faults.map((each) => `  ${each}`).join("\n")}`,
  );
}

async function isReady({ ready }: Tool, command: string, deps: ChooseDeps): Promise<boolean> {
  if (ready === undefined) return true;
  if (ready.tokenVariable !== undefined && deps.env[ready.tokenVariable]) return true;
  const { output, exitCode } = await runTool(command, ready.args, deps);
  return ready.isReady(output, exitCode);
}
