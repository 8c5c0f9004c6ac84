// The configuration that the program works with: checked, complete, frozen. `schema/` describes what a user writes.
import type { CallbackFormat } from "../core/callback.ts";
import type { ResultAccess, WakeMode } from "../core/action.ts";
import type { FieldPath, FilterPath } from "../core/field-path.ts";
import type { ModelList } from "../core/model.ts";
import type { WantedTarget } from "../core/target.ts";
import type { ToolGrant } from "../core/tool.ts";
import type { Variables } from "../core/variables.ts";
import type { Path } from "./problem.ts";

export type Config = {
  /** The file it came from; relative paths were resolved against its folder. */
  file: string;
  gateway: {
    host: string;
    port: number;
    auth: { token: string | null };
    /** In lower case. */
    publicHosts: readonly string[];
    trustedProxies: readonly string[];
    drainSeconds: number;
    maxConnections: number;
  };
  hooks: {
    enabled: boolean;
    /** One token, or several while one is being rotated; empty only when hooks are off. */
    tokens: readonly string[];
    namedTokens: readonly NamedTokenConfig[];
    /** With a leading and without a trailing slash. */
    path: string;
    /** Lower-cased. Null: any agent. */
    allowedAgentIds: readonly string[] | null;
    defaultSessionKey: string | null;
    allowRequestSessionKey: boolean;
    allowedSessionKeyPrefixes: readonly string[];
    /** Hooks that are opened by their sender's own proof, and by no token. */
    senders: readonly SenderConfig[];
    tools: ToolGrant;
    results: ResultAccess;
    maxWaiting: number;
    deliverFailures: boolean;
    /** By name. */
    callbacks: ReadonlyMap<string, CallbackConfig>;
    budget: { runsPerDay: number; tokensPerDay: number; moneyPerDay: number | null };
    /** In order: the user's, then the presets'. */
    mappings: readonly MappingConfig[];
    gmail: GmailConfig | null;
    mail: readonly MailAccountConfig[];
    transformsDir: string;
    transformTimeoutSeconds: number;
    maxBodyBytes: number;
    bodyTimeoutSeconds: number;
    maxQueued: number;
    maxWaitingEvents: number;
    maxWaitingBytes: number;
    /** 0: none that was accepted, and no body. */
    keepRequestsMs: number;
    keepRequestBytes: number;
    authFailures: { max: number; windowSeconds: number };
  };
  agents: {
    /** Never empty; exactly one is the default. */
    list: readonly AgentConfig[];
    instructionFiles: readonly InstructionsFile[];
    /** What becomes of an action that names an agent which is not in the list. */
    unknown: "default" | "refuse";
    models: ModelList | undefined;
    heartbeatEveryMs: number;
    timeoutSeconds: number;
    maxConcurrent: number;
    maxAttempts: number;
    /** What tools were called with and returned is kept with the attempt. */
    keepToolCalls: boolean;
  };
  channels: ChannelsConfig;
  models: ModelsConfig;
  /** MCP servers by name. */
  mcp: Readonly<Record<string, McpServerConfig>>;
  store: {
    /** A PostgreSQL address, or null for the embedded SQLite in `path`. */
    url: string | null;
    path: string;
    retentionMs: number;
    leaseSeconds: number;
  };
  log: { level: LogLevel; format: "auto" | "json" | "pretty" };
};

/** The Gmail account whose mail is read. */
export type GmailConfig = {
  account: string;
  label: string;
  excludeLabels: readonly string[];
  mode: "poll" | "pull" | "push";
  credentialsFile: string;
  pollMs: number;
  topic: string | null;
  /** Its full name; null where there is no topic. */
  subscription: string | null;
  oidc: { audience: string; serviceAccountEmail: string } | null;
  pushPath: string;
  includeBody: boolean;
  maxBytes: number;
  renewEveryMs: number;
  catchUp: { maxAgeMs: number; maxMessages: number };
  /** Without slashes at their ends. */
  endpoints: { oauth: string; gmail: string; pubsub: string; certs: string };
};

/** A mailbox that is read over IMAP. */
export type MailAccountConfig = {
  id: string;
  host: string;
  port: number;
  /** `tls` from the first byte; `starttls` required; `none` only on this machine. */
  encryption: "tls" | "starttls" | "none";
  user: string;
  login: { password: string } | { accessToken: string };
  mailbox: string;
  pollSeconds: number;
  includeBody: boolean;
  maxBytes: number;
  catchUp: { maxAgeMs: number; maxMessages: number };
};

/** A token that opens only its hooks. */
export type NamedTokenConfig = {
  name: string;
  /** Each of them counts. */
  tokens: readonly string[];
  /** Names of hooks, or a prefix such as `build/*`. */
  hooks: readonly string[];
  /** Where the results of its runs are sent, where nothing else says so. */
  callback: string | null;
  /** Null: as `hooks.results`. */
  results: ResultAccess | null;
};

/** Where a value stands in a request. */
export type PlaceConfig =
  | {
      header: string;
      prefix?: string | undefined;
      list?: { split: string; by: string; tag: string } | undefined;
    }
  | { json: string }
  | { form: string }
  | { query: string };

/** How a sender of the kind `custom` proves itself. */
export type CustomSenderConfig = {
  proof: "hmac" | "public-key" | "equal";
  signature: PlaceConfig;
  algorithm: "sha1" | "sha256" | "sha512" | "ed25519" | "ecdsa-sha256" | "rsa-sha256";
  encoding: "hex" | "base64" | "base64url";
  key: "text" | "base64" | "whsec" | "hex";
  /** A text with `{body}`, `{time}` and other parts. */
  signed: string;
  time?: { at: PlaceConfig; unit: "s" | "ms" | "iso" } | undefined;
  delivery?: PlaceConfig | undefined;
  event?: PlaceConfig | undefined;
  equalBodies: boolean;
};

/** A system that signs what it sends. */
export type SenderConfig = {
  /** The hook's name. */
  name: string;
  kind: string;
  /** Each of them counts. */
  secrets: readonly string[];
  publicKeys: readonly string[];
  publicUrl: string | null;
  verifyToken: string | null;
  origins: readonly string[];
  topicArns: readonly string[];
  audience: string | null;
  serviceAccountEmail: string | null;
  webhookId: string | null;
  header: string | null;
  custom: CustomSenderConfig | null;
  /** Null: as the kind says. */
  toleranceSeconds: number | null;
  maxBodyBytes: number;
};

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export type PlainValue = string | number | boolean | null;

/** Which requests a mapping takes: all that is given must fit. */
export type MatchConfig = {
  path: string | null;
  source: string | null;
  /** Of a sender's request; null: any. */
  events: readonly string[] | null;
  /** Names in lower case. One of the conditions must hold. */
  headers: readonly { name: string; wanted: readonly Condition[] }[];
  payload: readonly { written: string; path: FilterPath; wanted: readonly Condition[] }[];
};

/** What a filter wants: a value, or what all these operators say. */
export type Condition = PlainValue | Operators;

export type Operators = {
  /** None of these holds. */
  not?: readonly Condition[] | undefined;
  exists?: boolean | undefined;
  contains?: PlainValue | undefined;
  startsWith?: string | undefined;
  endsWith?: string | undefined;
  /** A regular expression of RE2. */
  matches?: string | undefined;
  /** As text where a number cannot hold it. */
  above?: number | string | undefined;
  below?: number | string | undefined;
};

export type MappingConfig = {
  id: string;
  /** Its index in `hooks.mappings`, or the name of its preset. */
  origin: number | string;
  match: MatchConfig;
  action: "wake" | "agent";
  wakeMode: WakeMode;
  deliver: boolean;
  agentId: string | null;
  channel: string | null;
  /** Null: as the agent's. */
  fallback: WantedTarget | null;
  /** Null: as `hooks.deliverFailures`. */
  deliverFailures: boolean | null;
  /** Null: as the token. */
  results: ResultAccess | null;
  timeoutSeconds: number | null;
  templates: MappingTemplates;
  forEach: { written: string; path: FieldPath } | null;
  transform: { module: string; export: string | null } | null;
  /** Null: as `hooks.tools`. */
  tools: ToolGrant | null;
  /** Files with payloads as its sender sends them. */
  examples: readonly { payload: string; headers: string | null }[];
  /** Where the results of its runs are sent. */
  callback: { name: string; format: CallbackFormat } | null;
  allowUnsafeExternalContent: boolean;
};

/** Where results of runs are sent. */
export type CallbackConfig = {
  format: CallbackFormat;
  /** For comments, of the API. Null where the request says it. */
  url: string | null;
  secret: string | null;
  token: string | null;
  isThin: boolean;
  /** Its host may be in a private network. */
  allowPrivate: boolean;
};

/** The sources of the templates, under their names in the config. */
export type MappingTemplates = Readonly<Record<TemplateName, string | null>>;
export const templateNames = [
  "messageTemplate",
  "textTemplate",
  "name",
  "sessionKey",
  "to",
  "model",
  "thinking",
  "idempotencyKey",
] as const;
export type TemplateName = (typeof templateNames)[number];

/** An agent whose instructions are in a file, and where the config says so. */
type InstructionsFile = { agentId: string; path: Path };

/** One agent with everything `agents.defaults` gave it filled in. */
export type AgentConfig = {
  /** Lower-cased. */
  id: string;
  default: boolean;
  workspace: string;
  /** Read from `instructionsFile` at each turn where that is set. */
  instructions: string | null;
  instructionsFile: string | null;
  model: string | null;
  thinking: string | null;
  /** What it may use; a hook's run gets less (`hooks.tools`). */
  tools: readonly string[];
  /** Where replies go that finally cannot be delivered. */
  fallback: WantedTarget | null;
} & AgentKind;

export const commandPresets = ["claude", "codex", "gemini"] as const;
export type CommandPreset = (typeof commandPresets)[number];

export const commandInputs = ["prompt", "json"] as const;
export type CommandInput = (typeof commandInputs)[number];

/** Kinds of permission an ACP agent may ask for, as its protocol names them. */
export const permissionKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
] as const;
export type PermissionKind = (typeof permissionKinds)[number];

type ProgramConfig = {
  command: string;
  args: readonly string[];
  /** Environment variables beyond the built-in few: names to pass on, or values by name. */
  env: Variables;
};

export type AgentKind =
  | { kind: "echo" }
  | ({
      kind: "command";
      /** Knows the program's options and output; null for a plain program. */
      preset: CommandPreset | null;
      /** What a plain program gets on standard input. */
      input: CommandInput;
      outputLimitBytes: number;
    } & ProgramConfig)
  | ({
      kind: "acp";
      /** Permission requests that are granted; all others are refused. */ allow: readonly PermissionKind[];
    } & ProgramConfig)
  | { kind: "http"; url: string; /** Signs the request; null: unsigned. */ secret: string | null }
  | {
      kind: "model";
      maxSteps: number;
      /** Hosts the fetch tool may ask. */
      fetchHosts: readonly string[];
    };

/** `settings` are of the platform's own shape; `to` is its default recipient. */
export type ChannelConfig = { id: string; to: string | null; settings: object };

export type ChannelsConfig = {
  list: readonly ChannelConfig[];
  /** Files of the user's own channels, whose ids only they know. */
  plugins: readonly { module: string; to: string | null; settings: object }[];
  /** Where mappings and agents name a channel. */
  named: readonly { path: Path; channel: string }[];
};

export const providerKinds = ["openai-compatible", "openai", "anthropic", "google"] as const;
export type ProviderKind = (typeof providerKinds)[number];
export type ProviderConfig = { kind: ProviderKind; baseUrl: string | null; apiKey: string | null };

export type ModelsConfig = {
  /** By the name before the slash of a model id. */
  providers: Readonly<Record<string, ProviderConfig>>;
  /** Money for a million tokens, by model id. */
  prices: Readonly<Record<string, { input: number; output: number }>>;
  /** Tokens a model can take at once, by model id. */
  contextTokens: Readonly<Record<string, number>>;
};

export type McpServerConfig =
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> }
  | ({ kind: "command" } & ProgramConfig);

/** The one agent where none is listed. */
export const soleAgentId = "main";

export const defaultAgent = (agents: readonly AgentConfig[]): AgentConfig => {
  const found = agents.find((agent) => agent.default) ?? agents[0];
  if (!found) throw new Error("the agent list is never empty");
  return found;
};
