// All that one configuration becomes: mappings, channels, agents. It is made completely before it is used, and a reload
// swaps it as one value; work in progress ends with the generation it started with. Templates, transforms or channels
// that cannot be used are problems of the configuration.
import { type Cursors, createCursors } from "../api/frame/cursor.ts";
import { agentMaker, type Agents, createAgents, loadKinds } from "../agents/registry.ts";
import { createCallbacks } from "../channels/callback/callbacks.ts";
import { type Channels, openChannels } from "../channels/registry.ts";
import type { Config } from "../config/config.ts";
import type { Finding } from "../config/problem.ts";
import { callbackChannel } from "../core/callback.ts";
import { channelNames, lastChannel, platforms } from "../core/target.ts";
import { type Mappings, prepareMappings } from "../hooks/mapping/prepare.ts";
import { prepareSenders } from "../hooks/senders/prepare.ts";
import { type HookSettings, hookSettings } from "../hooks/settings.ts";
import { createGuard, type Guard } from "../http/guard.ts";
import type { KnownNames } from "../telemetry/metrics.ts";

export type Generation = {
  config: Config;
  mappings: Mappings;
  channels: Channels;
  hooks: HookSettings;
  agents: Agents;
  /** Checks `gateway.auth.token`; null where none is set. */
  guard: Guard | null;
  /** Signed with that token. */
  cursors: Cursors;
};

/** Holds the generation in use. Services read it for each piece of work. */
export type Live = {
  generation: Generation;
  /** Mappings of earlier generations that still decide what they began. */
  readonly retired: Set<Mappings>;
  /** Of the config file and its secret files, as this generation was made of them. */
  fingerprint: string;
};

export function replaceGeneration(live: Live, generation: Generation): void {
  const { mappings } = live.generation;
  live.generation = generation;
  live.retired.add(mappings);
  void mappings.close().finally(() => live.retired.delete(mappings));
}

/** Ends the transforms that run, of every generation. */
export function stopTransforms({ generation, retired }: Live): void {
  for (const { transforms } of [generation.mappings, ...retired]) transforms.stop();
}

export async function prepareGeneration(
  config: Config,
): Promise<{ ok: true; generation: Generation } | { ok: false; findings: Finding[] }> {
  const [prepared, opened] = await Promise.all([
    prepareMappings(config.hooks),
    openChannels(config.channels, { fetch }, createCallbacks(config.hooks.callbacks)),
    loadKinds(config.agents.list),
  ]);
  const senders = prepareSenders(config.hooks.senders, config.hooks.mappings);
  if (!prepared.ok || !opened.ok || !senders.ok) {
    if (prepared.ok) await prepared.mappings.close();
    const findings = [senders, prepared, opened].flatMap((each) => (each.ok ? [] : each.findings));
    return { ok: false, findings };
  }
  const { mappings } = prepared;
  const { channels } = opened;
  const hooks = hookSettings(config, {
    mappings,
    senders: senders.senders,
    channels: channelNames(channels.configured()),
  });
  const agents = createAgents(config.agents.list, agentMaker(config));
  const { token } = config.gateway.auth;
  const guard = token === null ? null : createGuard([token]);
  return {
    ok: true,
    generation: { config, mappings, channels, hooks, agents, guard, cursors: createCursors(token ?? "") },
  };
}

export const knownNames = ({ config, channels }: Pick<Generation, "config" | "channels">): KnownNames => ({
  hooks: ["wake", "agent", ...config.hooks.mappings.flatMap(({ match }) => match.path ?? [])],
  agents: config.agents.list.map(({ id }) => id),
  channels: [
    ...channels.configured().map(({ channel }) => channel),
    ...channels.callbacks.names().map(callbackChannel),
  ],
  platforms: [...platforms, lastChannel],
});
