// Checked settings become the `Config` the program works with: agents completed, paths resolved, everything frozen.
import { dirname, join, resolve } from "node:path";
import type { AgentConfig, AgentKind, Config } from "./config.ts";
import { gatewayToken, hookTokens } from "./rules.ts";
import { defaultOutputLimitBytes } from "./schema/agents.ts";
import type { Settings } from "./schema/index.ts";

type ListedAgent = Settings["agents"]["list"][number];
type AgentDefaults = Settings["agents"]["defaults"];

export function buildConfig(settings: Settings, file: string): Config {
  const folder = dirname(resolve(file));
  return deepFreeze({
    file: resolve(file),
    gateway: { ...settings.gateway, auth: { token: gatewayToken(settings) } },
    hooks: buildHooks(settings),
    agents: buildAgents(settings.agents, folder),
    store: {
      url: settings.store.url ?? null,
      path: resolve(folder, settings.store.path),
      retentionMs: settings.store.retention,
      leaseSeconds: settings.store.leaseSeconds,
    },
    log: settings.log,
  });
}

function buildHooks(settings: Settings): Config["hooks"] {
  const { hooks } = settings;
  const allowed = hooks.allowedAgentIds;
  return {
    enabled: hooks.enabled,
    tokens: hookTokens(settings).map(({ value }) => value),
    path: hooks.path,
    allowedAgentIds: !allowed || allowed.includes("*") ? null : allowed,
    defaultSessionKey: hooks.defaultSessionKey ?? null,
    allowRequestSessionKey: hooks.allowRequestSessionKey,
    allowedSessionKeyPrefixes: hooks.allowedSessionKeyPrefixes,
    maxBodyBytes: hooks.maxBodyBytes,
    bodyTimeoutSeconds: hooks.bodyTimeoutSeconds,
    maxQueued: hooks.maxQueued,
    authFailures: hooks.authFailures,
  };
}

function buildAgents(agents: Settings["agents"], folder: string): Config["agents"] {
  const { defaults, maxConcurrent, maxAttempts } = agents;
  const listed: ListedAgent[] = agents.list.length > 0 ? agents.list : [{ id: "main" }];
  const marked = listed.findIndex((agent) => agent.default);
  const chosen = marked === -1 ? 0 : marked;
  return {
    list: listed.map((agent, at) => buildAgent(agent, defaults, at === chosen, folder)),
    models: defaults.models,
    heartbeatEveryMs: defaults.heartbeat.every,
    timeoutSeconds: defaults.timeoutSeconds,
    maxConcurrent,
    maxAttempts,
  };
}

function buildAgent(
  own: ListedAgent,
  defaults: AgentDefaults,
  isDefault: boolean,
  folder: string,
): AgentConfig {
  const workspace = own.workspace ?? defaults.workspace ?? join("workspaces", own.id);
  return {
    id: own.id,
    default: isDefault,
    workspace: resolve(folder, workspace),
    instructions: own.instructions ?? defaults.instructions ?? null,
    model: own.model ?? defaults.model ?? null,
    thinking: own.thinking ?? defaults.thinking ?? null,
    ...buildKind({ ...defaults, ...own }, folder),
  };
}

function buildKind(agent: Omit<ListedAgent, "id" | "default">, folder: string): AgentKind {
  const { command } = agent;
  if (agent.kind !== "command" || command === undefined) return { kind: "echo" };
  return {
    kind: "command",
    command: command.includes("/") ? resolve(folder, command) : command,
    args: agent.args ?? [],
    env: agent.env ?? [],
    outputLimitBytes: agent.outputLimitBytes ?? defaultOutputLimitBytes,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
