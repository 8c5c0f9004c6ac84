// The whole configuration as the program sees it: checked, complete, frozen. What a user writes is in `schema/`.
import type { ModelList } from "../core/model.ts";

export type Config = {
  /** The file it came from; relative paths were resolved against its folder. */
  file: string;
  gateway: {
    host: string;
    port: number;
    auth: { token: string | null };
    trustedProxies: readonly string[];
    drainSeconds: number;
    maxConnections: number;
  };
  hooks: {
    enabled: boolean;
    /** One token, or several while one is being rotated; empty only when hooks are off. */
    tokens: readonly string[];
    /** With a leading and without a trailing slash. */
    path: string;
    /** Lower-cased. Null: any agent. */
    allowedAgentIds: readonly string[] | null;
    defaultSessionKey: string | null;
    allowRequestSessionKey: boolean;
    allowedSessionKeyPrefixes: readonly string[];
    maxBodyBytes: number;
    bodyTimeoutSeconds: number;
    maxQueued: number;
    authFailures: { max: number; windowSeconds: number };
  };
  agents: {
    /** Never empty; exactly one is the default. */
    list: readonly AgentConfig[];
    models: ModelList | undefined;
    heartbeatEveryMs: number;
    timeoutSeconds: number;
    maxConcurrent: number;
    maxAttempts: number;
  };
  store: {
    /** A PostgreSQL address, or null for the embedded SQLite in `path`. */
    url: string | null;
    path: string;
    retentionMs: number;
    leaseSeconds: number;
  };
  log: { level: LogLevel; format: "auto" | "json" | "pretty" };
};

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** One agent with everything `agents.defaults` gave it filled in. */
export type AgentConfig = {
  /** Lower-cased. */
  id: string;
  default: boolean;
  workspace: string;
  instructions: string | null;
  model: string | null;
  thinking: string | null;
} & AgentKind;

export type AgentKind =
  | { kind: "echo" }
  | {
      kind: "command";
      command: string;
      args: readonly string[];
      /** Names of environment variables the program may see beyond the built-in few. */
      env: readonly string[];
      outputLimitBytes: number;
    };

export const defaultAgent = (agents: readonly AgentConfig[]): AgentConfig => {
  const found = agents.find((agent) => agent.default) ?? agents[0];
  if (!found) throw new Error("the agent list is never empty");
  return found;
};
