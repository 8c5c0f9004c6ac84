// What every agent's program gets and gives beside its own protocol: the variables of its run, and the last line that
// it wrote to standard error.
import type { Variables } from "../core/variables.ts";
import { sharedEnvironment } from "../processes/environment.ts";
import type { ProgramOptions } from "../processes/program.ts";
import { lastLineOf } from "../processes/last-line.ts";
import type { AgentInput } from "./agent.ts";

export function programEnvironment(
  input: AgentInput,
  variables: Variables,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env = sharedEnvironment(variables, environment);
  env["ROUSE_RUN_ID"] = input.runId;
  env["ROUSE_AGENT_ID"] = input.agentId;
  env["ROUSE_SESSION_KEY"] = input.sessionKey;
  if (input.model !== null) env["ROUSE_MODEL"] = input.model;
  if (input.thinking !== null) env["ROUSE_THINKING"] = input.thinking;
  return env;
}

/** The line is looked for when it is asked for, not with each piece that is written. */
export const errorOutputOf = ({ onErrorOutput }: AgentInput): ProgramOptions["onErrorOutput"] =>
  onErrorOutput &&
  ((tail) =>
    onErrorOutput(() => {
      const { text, isCut } = tail();
      return lastLineOf(text, isCut);
    }));
