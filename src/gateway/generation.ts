// What a configuration becomes, whole before it is used: mappings, channels, agents. Templates, transforms or channels
// that cannot be used are problems of the configuration.
import { agentMaker, type Agents, createAgents } from "../agents/registry.ts";
import { type Channels, openChannels } from "../channels/registry.ts";
import type { Config } from "../config/config.ts";
import type { Finding } from "../config/problem.ts";
import { channelNames, platforms } from "../core/target.ts";
import { type Mappings, prepareMappings } from "../hooks/mapping/prepare.ts";
import { type HookSettings, hookSettings } from "../hooks/settings.ts";
import { createGuard, type Guard } from "../http/guard.ts";
import type { KnownNames } from "../telemetry/metrics.ts";

export type Parts = {
  config: Config;
  mappings: Mappings;
  channels: Channels;
  hooks: HookSettings;
  agents: Agents;
  /** Of `gateway.auth.token`; null where there is none. */
  guard: Guard | null;
};

export async function prepareParts(
  config: Config,
): Promise<{ ok: true; parts: Parts } | { ok: false; findings: Finding[] }> {
  const [prepared, opened] = await Promise.all([
    prepareMappings(config.hooks),
    openChannels(config.channels, { fetch }),
  ]);
  if (!prepared.ok || !opened.ok) {
    if (prepared.ok) await prepared.mappings.close();
    const findings = [prepared, opened].flatMap((each) => (each.ok ? [] : each.findings));
    return { ok: false, findings };
  }
  const { mappings } = prepared;
  const { channels } = opened;
  const hooks = hookSettings(config, mappings, channelNames(channels.configured()));
  const agents = createAgents(config.agents.list, agentMaker(config));
  const { token } = config.gateway.auth;
  const guard = token === null ? null : createGuard([token]);
  return { ok: true, parts: { config, mappings, channels, hooks, agents, guard } };
}

export const knownNames = ({ config, channels }: Pick<Parts, "config" | "channels">): KnownNames => ({
  hooks: ["wake", "agent", ...config.hooks.mappings.flatMap(({ match }) => match.path ?? [])],
  agents: config.agents.list.map(({ id }) => id),
  channels: channels.configured().map(({ channel }) => channel),
  platforms,
});
