// Opens the channels of a config for a command, without a gateway.
import type { Channel } from "../../sdk/channel.ts";
import type { Channels } from "../../channels/registry.ts";
import { nearest } from "../../core/nearest.ts";
import { problemList } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import { platforms } from "../../core/target.ts";
import { WrongUsage } from "../command.ts";
import type { Loaded } from "./settings.ts";

export async function openChannelsOf({
  config,
  locate,
}: Pick<Loaded, "config" | "locate">): Promise<Channels> {
  const { openChannels } = await import("../../channels/registry.ts");
  const opened = await openChannels(config.channels, { fetch });
  if (opened.ok) return opened.channels;
  throw new UsageError(problemList(config.file, opened.findings.map(locate)));
}

/** The channel's name in lower case. It is known, but need not be configured. */
export function readChannelName(written: string, channels: Channels): string {
  const known = new Set([...platforms, ...channels.configured().map(({ channel }) => channel)]);
  const name = written.toLowerCase();
  if (known.has(name)) return name;
  const near = nearest(name, [...known]);
  const hint = near ? `Did you mean ${near}?` : `Known channels: ${[...known].join(", ")}`;
  throw new WrongUsage(`There is no channel ${written}. ${hint}`);
}

export function refuseRecipient(channel: Channel, name: string, to: string): void {
  const fault = channel.recipientFault(to);
  if (fault !== null) throw new UsageError(`${to} cannot be a recipient on ${name}: it ${fault}.`);
}
