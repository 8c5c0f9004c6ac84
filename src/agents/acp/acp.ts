// A coding agent that speaks the Agent Client Protocol. Its program is started for one run, prompted, and ended.
import type { AgentConfig } from "../../config/config.ts";
import { converse } from "./converse.ts";
import { startProgram } from "../../processes/program.ts";
import type { Agent } from "../agent.ts";
import { createOutsideTexts } from "../outside-texts.ts";
import { givenVariables } from "../../core/variables.ts";
import { createMask } from "../../processes/mask.ts";
import { errorOutputOf, programEnvironment } from "../environment.ts";
import { masked, maskedInput } from "../masked.ts";
import { makeWorkspace } from "../workspace.ts";
import { failed, failedToStart } from "../failure.ts";
import { codeOf } from "../../core/errors.ts";
import { createReaper } from "../../processes/reaper.ts";

export type AcpConfig = Extract<AgentConfig, { kind: "acp" }>;

export function createAcpAgent(
  config: AcpConfig,
  { graceMs = 5000, startMs = 120_000, environment = process.env } = {},
): Agent {
  const reaper = createReaper();
  const texts = createOutsideTexts();
  const given = givenVariables(config.env, environment);
  const mask = createMask(given);
  return {
    async run(input, signal) {
      if (signal.aborted) return failed("it was stopped", true);
      const fault = await makeWorkspace(config.workspace);
      if (fault !== null) return fault;
      try {
        const program = startProgram({
          command: config.command,
          args: config.args,
          folder: config.workspace,
          env: programEnvironment(input, given, environment),
          mask,
          onErrorOutput: errorOutputOf(input),
          graceMs,
          reaper,
        });
        return masked(
          await converse({ program, input: maskedInput(input, mask), config, startMs, texts }, signal),
          mask,
        );
      } catch (fault) {
        return failedToStart(config.command, codeOf(fault));
      }
    },
  };
}
