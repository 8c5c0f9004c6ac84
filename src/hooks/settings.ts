// The settings that the hooks need, computed once per configuration and swapped as one value on reload.
import { secondsToMs } from "../core/duration.ts";
import { type Config, defaultAgent } from "../config/config.ts";
import type { ResultAccess } from "../core/action.ts";
import type { ModelList } from "../core/model.ts";
import type { SessionKeyPolicy } from "../core/session-key.ts";
import type { ToolGrant } from "../core/tool.ts";
import type { BodyLimits } from "../http/body.ts";
import { type ClientAddress, createClientAddress } from "../http/client-address.ts";
import { createGuard, type Guard } from "../http/guard.ts";
import { createCredentials, type Credentials } from "./credentials.ts";
import type { Mappings } from "./mapping/prepare.ts";
import type { Senders } from "./senders/prepare.ts";

export type HookSettings = {
  readonly enabled: boolean;
  readonly path: string;
  readonly credentials: Credentials;
  readonly clientAddress: ClientAddress;
  readonly body: BodyLimits;
  readonly agentIds: ReadonlySet<string>;
  readonly defaultAgentId: string;
  /** Whether an action that names an unknown agent is refused; otherwise the default agent runs it. */
  readonly refusesUnknownAgents: boolean;
  /** Null: any agent. */
  readonly allowedAgentIds: ReadonlySet<string> | null;
  readonly defaultSessionKey: string | null;
  readonly sessionKeys: SessionKeyPolicy;
  readonly models: ModelList | undefined;
  readonly tools: ToolGrant;
  readonly callbacks: Config["hooks"]["callbacks"];
  readonly channels: ReadonlySet<string>;
  /** What is kept of requests: those that were accepted, and bodies up to a size. */
  readonly keep: { readonly accepted: boolean; readonly largestBody: number };
  readonly mappings: Mappings;
  readonly senders: Senders;
  readonly results: ResultSettings;
};

export type ResultSettings = {
  /** What a token may read whose own settings do not say it. */
  readonly access: ResultAccess;
  /** Whether there is anyone who may read a result. */
  readonly areReadable: boolean;
  /** Checks `gateway.auth.token`, which may read all of them; null where none is set. */
  readonly guard: Guard | null;
  readonly retentionMs: number;
};

/** `channels`: the names of all channels. */
export function hookSettings(
  { hooks, agents, gateway, store }: Config,
  { mappings, senders, channels }: Pick<HookSettings, "mappings" | "senders" | "channels">,
): HookSettings {
  return {
    enabled: hooks.enabled,
    path: hooks.path,
    credentials: createCredentials(hooks),
    clientAddress: createClientAddress(gateway.trustedProxies),
    body: { maxBytes: hooks.maxBodyBytes, timeoutMs: secondsToMs(hooks.bodyTimeoutSeconds) },
    agentIds: new Set(agents.list.map((agent) => agent.id)),
    defaultAgentId: defaultAgent(agents.list).id,
    refusesUnknownAgents: agents.unknown === "refuse",
    allowedAgentIds: allowList(hooks.allowedAgentIds),
    defaultSessionKey: hooks.defaultSessionKey,
    sessionKeys: {
      allowRequestSessionKey: hooks.allowRequestSessionKey,
      allowedSessionKeyPrefixes: hooks.allowedSessionKeyPrefixes,
    },
    models: agents.models,
    tools: hooks.tools,
    callbacks: hooks.callbacks,
    channels,
    keep: { accepted: hooks.keepRequestsMs > 0, largestBody: hooks.keepRequestBytes },
    mappings,
    senders,
    results: resultSettings({ hooks, gateway, store }),
  };
}

function resultSettings({
  hooks,
  gateway,
  store,
}: Pick<Config, "hooks" | "gateway" | "store">): ResultSettings {
  const { token } = gateway.auth;
  const accesses = [
    hooks.results,
    ...[...hooks.namedTokens, ...hooks.mappings].map(({ results }) => results),
  ];
  return {
    access: hooks.results,
    areReadable: token !== null || accesses.some((access) => access !== null && access !== "none"),
    guard: token === null ? null : createGuard([token]),
    retentionMs: store.retentionMs,
  };
}

const allowList = (ids: readonly string[] | null): ReadonlySet<string> | null =>
  ids === null || ids.includes("*") ? null : new Set(ids);
