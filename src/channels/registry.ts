// The channels that are configured, by name.
import type { ConfiguredChannel } from "../core/target.ts";
import type { Channel } from "./channel.ts";

export type Channels = {
  find(name: string): Channel | null;
  configured(): readonly ConfiguredChannel[];
};

/** `to` is the channel's default recipient. */
export function createChannels(
  configured: ReadonlyMap<string, { channel: Channel; to: string | null }>,
): Channels {
  const list = [...configured].map(([channel, { to }]) => ({ channel, to }));
  return {
    find: (name) => configured.get(name)?.channel ?? null,
    configured: () => list,
  };
}
