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

const codeOf = {
  command: () => import("./command/command.ts"),
  http: () => import("./http/http.ts"),
  model: () => import("./model/model.ts"),
  acp: () => import("./acp/acp.ts"),
  echo: () => Promise.resolve(),
} satisfies Record<AgentConfig["kind"], () => Promise<unknown>>;

/**
 * Loads the libraries of these agents' kinds, and of no others. While a library is loaded, nothing else is done, so it
 * happens before there are requests. A kind that cannot be loaded fails its runs, and they say why.
 */
export async function loadKinds(list: readonly Pick<AgentConfig, "kind">[]): Promise<void> {
  await Promise.allSettled([...new Set(list.map(({ kind }) => kind))].map((kind) => codeOf[kind]()));
}

export const agentMaker =
  (shared: Pick<Config, "models" | "mcp">) =>
  (config: AgentConfig): Agent => {
    switch (config.kind) {
      case "command":
        return lazyAgent(async () => (await codeOf.command()).createCommandAgent(config));
      case "http":
        return lazyAgent(async () => (await codeOf.http()).createHttpAgent(config));
      case "model":
        return lazySummarisingAgent(async () => (await codeOf.model()).createModelAgent(config, shared));
      case "acp":
        return lazyAgent(async () => (await codeOf.acp()).createAcpAgent(config));
      case "echo":
        return createEchoAgent();
    }
  };
