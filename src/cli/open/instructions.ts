// Checks the instructions files of a config as a run would. The gateway starts without them, but runs would fail.
import type { Problem } from "../../config/problem.ts";
import type { Loaded } from "./settings.ts";

export async function instructionProblems({ config, locate }: Loaded): Promise<Problem[]> {
  const { list, instructionFiles } = config.agents;
  if (instructionFiles.length === 0) return [];
  const { readInstructions } = await import("../../session/instructions.ts");
  const checked = instructionFiles.map(async ({ agentId, path }) => {
    const agent = list.find(({ id }) => id === agentId);
    const read = agent && (await readInstructions(agent));
    if (!agent || !read || read.ok) return [];
    const message = `${read.reason}: each run of agent ${agentId} would fail. It must be a text file at ${agent.instructionsFile}`;
    return [locate({ path, message })];
  });
  return (await Promise.all(checked)).flat();
}
