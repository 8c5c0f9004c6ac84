// The environment of an agent's program: the variables of its run, beside those that every program gets.
import { sharedEnvironment } from "../processes/environment.ts";
import type { AgentInput } from "./agent.ts";

export function programEnvironment(
  input: AgentInput,
  configuredNames: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env = sharedEnvironment(configuredNames, environment);
  env["ROUSE_RUN_ID"] = input.runId;
  env["ROUSE_AGENT_ID"] = input.agentId;
  env["ROUSE_SESSION_KEY"] = input.sessionKey;
  if (input.model !== null) env["ROUSE_MODEL"] = input.model;
  if (input.thinking !== null) env["ROUSE_THINKING"] = input.thinking;
  return env;
}
