// The configured agents, by id.
import { defaultAgent, type AgentConfig } from "../config/config.ts";
import type { Agent } from "./agent.ts";
import { createCommandAgent } from "./command.ts";
import { createEchoAgent } from "./echo.ts";

export type ConfiguredAgent = { config: AgentConfig; agent: Agent };

export type Agents = {
  /** The agent with this id; the default agent where it is gone from the configuration. */
  find(id: string): ConfiguredAgent;
  main: ConfiguredAgent;
};

export function createAgents(
  list: readonly AgentConfig[],
  make: (config: AgentConfig) => Agent = createAgent,
): Agents {
  const byId = new Map(list.map((config) => [config.id, { config, agent: make(config) }]));
  const main = byId.get(defaultAgent(list).id)!;
  return { find: (id) => byId.get(id) ?? main, main };
}

const createAgent = (config: AgentConfig): Agent =>
  config.kind === "command" ? createCommandAgent(config) : createEchoAgent();
