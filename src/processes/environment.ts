// What a program that is an agent sees of the environment: a few names everyone needs, those its config names, and
// which run it is for. Never the gateway's own secrets.
import type { Turn } from "../agents/agent.ts";

const sharedNames = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "USER", "SHELL"];

/** The names everyone needs and those the config names. */
export function sharedEnvironment(
  configuredNames: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...sharedNames, ...configuredNames]) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

export function programEnvironment(
  turn: Turn,
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
