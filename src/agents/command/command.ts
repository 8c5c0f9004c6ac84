// An agent that is any program: the prompt on its standard input (never in its arguments, where others could read
// it and it could pass for an option), the reply on its standard output. With a preset, the program's own options
// and output are known.
import type { AgentOutcome } from "../../core/outcome.ts";
import { givenVariables } from "../../core/variables.ts";
import { createMask } from "../../processes/mask.ts";
import type { Agent, AgentInput } from "../agent.ts";
import { inputJson } from "../input-json.ts";
import { createOutsideTexts, type OutsideTexts } from "../outside-texts.ts";
import { makeWorkspace } from "../workspace.ts";
import { failed } from "../failure.ts";
import { masked, maskedInput } from "../masked.ts";
import { badExit, type CommandConfig, createLaunch, cutShort } from "./launch.ts";
import { presets } from "./presets/index.ts";
import { runPreset } from "./presets/run.ts";
import { type ProcessEnd, type ProcessOptions } from "../../processes/run.ts";

export type { CommandConfig } from "./launch.ts";

export function createCommandAgent(
  config: CommandConfig,
  { graceMs = 5000, environment = process.env } = {},
): Agent {
  const preset = config.preset === null ? null : presets[config.preset];
  const given = {
    ...givenVariables(preset?.env ?? [], environment),
    ...givenVariables(config.env, environment),
  };
  const mask = createMask(given);
  const texts = createOutsideTexts();
  const launch = createLaunch(config, { graceMs, environment, given, mask });
  return {
    async run(input, signal) {
      if (signal.aborted) return failed("it was stopped", true);
      const fault = await makeWorkspace(config.workspace);
      if (fault !== null) return fault;
      if (preset !== null)
        return masked(
          await runPreset({ preset, config, given, launch, texts }, maskedInput(input, mask), signal),
          mask,
        );
      const start = {
        args: config.args,
        input: await standardInput(input, config, texts),
        onKept: told(input),
      };
      return outcomeOf(await launch(input, start, signal), config);
    },
  };
}

/** What it writes is its reply, and is told as it comes. */
function told({ onEvent }: AgentInput): ProcessOptions["onKept"] {
  if (!onEvent) return undefined;
  const decoder = new TextDecoder();
  return (chunk) => onEvent({ kind: "delta", text: decoder.decode(chunk, { stream: true }) });
}

/** JSON ends with a line break, for programs that read a line. */
const standardInput = async (
  input: AgentInput,
  config: CommandConfig,
  texts: Pick<OutsideTexts, "conversation">,
): Promise<string> => (config.input === "json" ? `${inputJson(input)}\n` : texts.conversation(input));

function outcomeOf(end: ProcessEnd, config: CommandConfig): AgentOutcome {
  if (end.kind !== "exited") return cutShort(end, config);
  if (end.exitCode !== 0) return badExit(end);
  const reply = end.output.trim();
  return reply === "" ? failed("the command gave no reply") : { kind: "replied", reply };
}
