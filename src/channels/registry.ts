// The channels that are configured, by name. A platform's file is loaded only when it is configured.
import { type Callbacks, noCallbacks } from "./callback/callbacks.ts";
import { unknownChannels } from "../config/build/channel-names.ts";
import type { ChannelConfig, ChannelsConfig } from "../config/config.ts";
import type { Finding, Path } from "../config/problem.ts";
import type * as Settings from "../config/schema/channels.ts";
import { channelNames, type ConfiguredChannel } from "../core/target.ts";
import type { Channel, ChannelTools } from "../sdk/channel.ts";

export type Channels = {
  find(name: string): Channel | null;
  configured(): readonly ConfiguredChannel[];
  /** Where results are sent; no reply goes there. */
  callbacks: Callbacks;
};

/** `to` is the channel's default recipient. */
export function createChannels(
  configured: ReadonlyMap<string, { channel: Channel; to: string | null }>,
  callbacks: Callbacks = noCallbacks,
): Channels {
  const list = [...configured].map(([channel, { to }]) => ({ channel, to }));
  return {
    find: (name) => configured.get(name)?.channel ?? null,
    configured: () => list,
    callbacks,
  };
}

/** Findings are about settings of the config. */
export type OpenedChannels = { ok: true; channels: Channels } | { ok: false; findings: Finding[] };

type Opened = { ok: true; id: string; channel: Channel } | { ok: false; message: string };

/** A channel that cannot be made, or a name that no channel has, is a problem of the configuration. */
export async function openChannels(
  config: ChannelsConfig,
  tools: ChannelTools,
  callbacks: Callbacks = noCallbacks,
): Promise<OpenedChannels> {
  const findings: Finding[] = [];
  const made = new Map<string, { channel: Channel; to: string | null }>();
  const take = (path: Path, to: string | null, opened: Opened): void => {
    if (!opened.ok) findings.push({ path, message: opened.message });
    else if (made.has(opened.id))
      findings.push({ path, message: `there is another channel with the id ${opened.id}` });
    else made.set(opened.id, { channel: opened.channel, to });
  };
  for (const channel of config.list)
    take(["channels", channel.id], channel.to, await openPlatform(channel, tools));
  for (const [at, { module, to, settings }] of config.plugins.entries())
    take(["channels", "plugins", at], to, await openModule(module, settings, tools));
  const channels = createChannels(made, callbacks);
  // The name of a plugin that failed to load is unknown, so names are only checked when all have loaded.
  if (findings.length === 0)
    for (const finding of unknownChannels(config.named, channelNames(channels.configured())))
      findings.push(finding);
  return findings.length === 0 ? { ok: true, channels } : { ok: false, findings };
}

const adapters: Readonly<Record<string, (settings: object, tools: ChannelTools) => Promise<Channel>>> = {
  whatsapp: async (settings, tools) =>
    (await import("./whatsapp.ts")).createWhatsapp(settings as Settings.WhatsappSettings, tools),
  telegram: async (settings, tools) =>
    (await import("./telegram.ts")).createTelegram(settings as Settings.TelegramSettings, tools),
  discord: async (settings, tools) =>
    (await import("./discord.ts")).createDiscord(settings as Settings.DiscordSettings, tools),
  slack: async (settings, tools) =>
    (await import("./slack.ts")).createSlack(settings as Settings.SlackSettings, tools),
  signal: async (settings, tools) => (await import("./signal.ts")).createSignal(settings, tools),
  imessage: async (settings, tools) => (await import("./imessage.ts")).createImessage(settings, tools),
  msteams: async (settings, tools) =>
    (await import("./msteams.ts")).createMsteams(settings as Settings.MsteamsSettings, tools),
};

async function openPlatform({ id, settings }: ChannelConfig, tools: ChannelTools): Promise<Opened> {
  const adapter = adapters[id];
  if (adapter) return { ok: true, id, channel: await adapter(settings, tools) };
  const { mattermostFile } = await import("./plugin.ts");
  return openModule(mattermostFile, settings, tools);
}

async function openModule(file: string, settings: object, tools: ChannelTools): Promise<Opened> {
  const { loadPlugin, openPlugin } = await import("./plugin.ts");
  const loaded = await loadPlugin(file);
  if (!loaded.ok) return loaded;
  const opened = openPlugin(loaded.plugin, settings, tools);
  return opened.ok ? { ...opened, id: loaded.plugin.id } : opened;
}
