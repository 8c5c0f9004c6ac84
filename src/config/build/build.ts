// Builds the `Config` from checked settings: completes agents, resolves paths, freezes everything.
import { dirname, join, resolve } from "node:path";
import { resolveModel } from "../../core/model.ts";
import { readOnlyTools } from "../../core/tool.ts";
import {
  type AgentConfig,
  type AgentKind,
  type ChannelsConfig,
  type Config,
  type ModelsConfig,
  soleAgentId,
} from "../config.ts";
import { buildGmail } from "./gmail.ts";
import { buildMail } from "./mail.ts";
import { buildFallback, buildMappings } from "./mappings.ts";
import { buildSenders } from "./senders.ts";
import { namedChannels } from "./channel-names.ts";
import { buildCallbacks } from "./callbacks.ts";
import { gatewayToken } from "./tokens.ts";
import { hookTokens } from "./tokens.ts";
import { defaultMaxSteps, defaultOutputLimitBytes } from "../schema/agents.ts";
import type { Settings } from "../schema/index.ts";

type ListedAgent = Settings["agents"]["list"][number];
type AgentDefaults = Settings["agents"]["defaults"];

export function buildConfig(settings: Settings, file: string): Config {
  const folder = dirname(resolve(file));
  return deepFreeze({
    file: resolve(file),
    gateway: { ...settings.gateway, auth: { token: gatewayToken(settings) } },
    hooks: buildHooks(settings, folder),
    agents: buildAgents(settings.agents, folder),
    channels: { ...buildChannels(settings.channels, folder), named: namedChannels(settings) },
    models: buildModels(settings.models),
    mcp: buildMcp(settings.mcp, folder),
    store: {
      url: settings.store.url ?? null,
      path: resolve(folder, settings.store.path),
      retentionMs: settings.store.retention,
      leaseSeconds: settings.store.leaseSeconds,
    },
    log: settings.log,
  });
}

function buildHooks(settings: Settings, folder: string): Config["hooks"] {
  const { hooks } = settings;
  const allowed = hooks.allowedAgentIds;
  return {
    enabled: hooks.enabled,
    tokens: hookTokens(settings).map(({ value }) => value),
    namedTokens: Object.entries(hooks.tokens).map(([name, named]) => ({
      name,
      tokens: [named.token].flat(),
      hooks: named.hooks,
      callback: named.callback ?? null,
      results: named.results ?? null,
    })),
    path: hooks.path,
    allowedAgentIds: !allowed || allowed.includes("*") ? null : allowed,
    defaultSessionKey: hooks.defaultSessionKey ?? null,
    allowRequestSessionKey: hooks.allowRequestSessionKey,
    allowedSessionKeyPrefixes: hooks.allowedSessionKeyPrefixes,
    senders: buildSenders(hooks),
    tools: hooks.tools,
    results: hooks.results,
    maxWaiting: hooks.maxWaiting,
    deliverFailures: hooks.deliverFailures,
    callbacks: buildCallbacks(hooks.callbacks),
    budget: { ...hooks.budget, moneyPerDay: hooks.budget.moneyPerDay ?? null },
    mappings: buildMappings(hooks, folder),
    gmail: buildGmail(hooks.gmail, folder),
    mail: hooks.mail.map(buildMail),
    transformsDir: resolve(folder, hooks.transformsDir),
    transformTimeoutSeconds: hooks.transformTimeoutSeconds,
    maxBodyBytes: hooks.maxBodyBytes,
    bodyTimeoutSeconds: hooks.bodyTimeoutSeconds,
    maxQueued: hooks.maxQueued,
    maxWaitingEvents: hooks.maxWaitingEvents,
    maxWaitingBytes: hooks.maxWaitingBytes,
    keepRequestsMs: hooks.keepRequests,
    keepRequestBytes: hooks.keepRequestBytes,
    authFailures: hooks.authFailures,
  };
}

function buildAgents(agents: Settings["agents"], folder: string): Config["agents"] {
  const { defaults, unknown, maxConcurrent, maxAttempts, keepToolCalls } = agents;
  const listed: ListedAgent[] = agents.list.length > 0 ? agents.list : [{ id: soleAgentId }];
  const marked = listed.findIndex((agent) => agent.default);
  const chosen = marked === -1 ? 0 : marked;
  return {
    list: listed.map((agent, at) => buildAgent(agent, defaults, at === chosen, folder)),
    instructionFiles: listed.flatMap(({ id, instructions }, at) =>
      typeof (instructions ?? defaults.instructions) === "object"
        ? [{ agentId: id, path: ["agents", ...(instructions ? ["list", at] : ["defaults"]), "instructions"] }]
        : [],
    ),
    unknown,
    models: defaults.models,
    heartbeatEveryMs: defaults.heartbeat.every,
    timeoutSeconds: defaults.timeoutSeconds,
    maxConcurrent,
    maxAttempts,
    keepToolCalls,
  };
}

function buildAgent(
  own: ListedAgent,
  defaults: AgentDefaults,
  isDefault: boolean,
  folder: string,
): AgentConfig {
  const workspace = resolve(folder, own.workspace ?? defaults.workspace ?? join("workspaces", own.id));
  const instructions = own.instructions ?? defaults.instructions ?? null;
  const isFile = typeof instructions === "object" && instructions !== null;
  return {
    id: own.id,
    default: isDefault,
    workspace,
    instructions: isFile ? null : instructions,
    instructionsFile: isFile ? resolve(workspace, instructions.file) : null,
    model: fullModel(own.model ?? defaults.model, defaults.models),
    thinking: own.thinking ?? defaults.thinking ?? null,
    // The other kinds bring tools of their own.
    tools: (own.kind ?? defaults.kind) === "model" ? (own.tools ?? defaults.tools ?? readOnlyTools) : [],
    fallback: buildFallback(own.fallback ?? defaults.fallback),
    ...buildKind({ ...defaults, ...own }, folder),
  };
}

/** Resolves an alias to the id of its model. */
const fullModel = (written: string | undefined, models: AgentDefaults["models"]): string | null =>
  written === undefined ? null : (resolveModel(written, models) ?? written);

function buildKind(agent: Omit<ListedAgent, "id" | "default">, folder: string): AgentKind {
  const program = {
    command: programOf(agent.command ?? agent.preset ?? "", folder),
    args: agent.args ?? [],
    env: agent.env ?? [],
  };
  switch (agent.kind) {
    case "command":
      return {
        kind: "command",
        preset: agent.preset ?? null,
        input: agent.input ?? "prompt",
        ...program,
        outputLimitBytes: agent.outputLimitBytes ?? defaultOutputLimitBytes,
      };
    case "acp":
      return { kind: "acp", ...program, allow: agent.allow ?? [] };
    case "http":
      return { kind: "http", url: agent.url ?? "", secret: agent.secret ?? null };
    case "model":
      return {
        kind: "model",
        maxSteps: agent.maxSteps ?? defaultMaxSteps,
        fetchHosts: agent.fetchHosts ?? [],
      };
    case "echo":
    case undefined:
      return { kind: "echo" };
  }
}

const programOf = (command: string, folder: string): string =>
  command.includes("/") ? resolve(folder, command) : command;

/** A channel's program is found like an agent's. */
function withProgram<T extends object>(settings: T, folder: string): T {
  if (!("command" in settings) || !Array.isArray(settings.command)) return settings;
  const [program, ...args] = settings.command as string[];
  return { ...settings, command: [programOf(program ?? "", folder), ...args] };
}

function buildChannels(
  { plugins, ...written }: Settings["channels"],
  folder: string,
): Omit<ChannelsConfig, "named"> {
  const list = Object.entries(written).flatMap(([id, channel]) => {
    if (channel === undefined) return [];
    const { to = null, ...settings } = channel;
    return [{ id, to, settings: withProgram(settings, folder) }];
  });
  return {
    list,
    plugins: plugins.map((plugin) => {
      const written = typeof plugin === "string" ? { module: plugin } : plugin;
      const { module, to = null, settings = {} } = { to: undefined, settings: undefined, ...written };
      return { module: resolve(folder, module), to, settings };
    }),
  };
}

const buildModels = ({ providers, prices, contextTokens }: Settings["models"]): ModelsConfig => ({
  providers: Object.fromEntries(
    Object.entries(providers).map(([name, { kind, baseUrl = null, apiKey = null }]) => [
      name,
      { kind, baseUrl, apiKey },
    ]),
  ),
  prices,
  contextTokens,
});

const buildMcp = ({ servers }: Settings["mcp"], folder: string): Config["mcp"] =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      "url" in server
        ? { kind: "http", ...server }
        : { kind: "command", ...server, command: programOf(server.command, folder) },
    ]),
  );

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
