// The environment of a program that is an agent: which run it is for, beside what every program gets.
import { sharedEnvironment } from "../processes/environment.ts";
import type { AgentInput } from "./agent.ts";

export function programEnvironment(
  turn: AgentInput,
  configuredNames: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env = sharedEnvironment(configuredNames, environment);
  env["ROUSE_RUN_ID"] = turn.runId;
  env["ROUSE_AGENT_ID"] = turn.agentId;
  env["ROUSE_SESSION_KEY"] = turn.sessionKey;
  if (turn.model !== null) env["ROUSE_MODEL"] = turn.model;
  if (turn.thinking !== null) env["ROUSE_THINKING"] = turn.thinking;
  return env;
}
