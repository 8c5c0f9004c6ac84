// The configured agents, by id.
import { defaultAgent, type AgentConfig, type Config } from "../config/config.ts";
import type { Agent } from "./agent.ts";
import { storable } from "./storable.ts";
import { createEchoAgent } from "./echo.ts";
import { lazyAgent, lazySummarisingAgent } from "./lazy.ts";

export type ConfiguredAgent = { config: AgentConfig; agent: Agent };

export type Agents = {
  /** The agent with this id; the default agent where it is gone from the configuration. */
  find(id: string): ConfiguredAgent;
  main: ConfiguredAgent;
};

export function createAgents(list: readonly AgentConfig[], make: (config: AgentConfig) => Agent): Agents {
  const byId = new Map(list.map((config) => [config.id, { config, agent: storable(make(config)) }]));
  const main = byId.get(defaultAgent(list).id)!;
  return { find: (id) => byId.get(id) ?? main, main };
}

/** The libraries of an agent's kind are loaded with its first run. */
export const agentMaker =
  (shared: Pick<Config, "models" | "mcp">) =>
  (config: AgentConfig): Agent => {
    switch (config.kind) {
      case "command":
        return lazyAgent(async () => (await import("./command/command.ts")).createCommandAgent(config));
      case "http":
        return lazyAgent(async () => (await import("./http/http.ts")).createHttpAgent(config));
      case "model":
        return lazySummarisingAgent(async () =>
          (await import("./model/model.ts")).createModelAgent(config, shared),
        );
      case "acp":
        return lazyAgent(async () => (await import("./acp/acp.ts")).createAcpAgent(config));
      case "echo":
        return createEchoAgent();
    }
  };
