// An agent that is any program: the prompt on its standard input (never in its arguments, where others could read
// it and it could pass for an option), the reply on its standard output. With a preset, the program's own options
// and output are known.
import type { AgentOutcome } from "../../core/outcome.ts";
import type { Agent } from "../agent.ts";
import { conversationPrompt } from "../conversation.ts";
import { makeWorkspace } from "../workspace.ts";
import { failed } from "../failure.ts";
import { badExit, type CommandConfig, createLaunch, cutShort } from "./launch.ts";
import { presets } from "./presets/index.ts";
import { runPreset } from "./presets/run.ts";
import { type ProcessEnd } from "../../processes/run.ts";

export type { CommandConfig } from "./launch.ts";

export function createCommandAgent(
  config: CommandConfig,
  { graceMs = 5000, environment = process.env } = {},
): Agent {
  const launch = createLaunch(config, { graceMs, environment });
  return {
    async run(input, signal) {
      if (signal.aborted) return failed("it was stopped", true);
      const fault = await makeWorkspace(config.workspace);
      if (fault !== null) return fault;
      if (config.preset !== null)
        return runPreset({ preset: presets[config.preset], config, launch }, input, signal);
      const start = { args: config.args, input: conversationPrompt(input) };
      return outcomeOf(await launch(input, start, signal), config);
    },
  };
}

function outcomeOf(end: ProcessEnd, config: CommandConfig): AgentOutcome {
  if (end.kind !== "exited") return cutShort(end, config);
  if (end.exitCode !== 0) return badExit(end);
  const reply = end.output.trim();
  return reply === "" ? failed("the command gave no reply") : { kind: "replied", reply };
}
