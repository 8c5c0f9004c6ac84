// Opens the channels of a config for a command, without a gateway.
import { channelName, recipientFault } from "../../api/actions/channels.ts";
import type { Channel } from "../../sdk/channel.ts";
import type { Channels } from "../../channels/registry.ts";
import { problemList } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
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
  const read = channelName(written, channels);
  if ("fault" in read) throw new WrongUsage(read.fault);
  return read.name;
}

export function refuseRecipient(channel: Channel, name: string, to: string): void {
  const fault = recipientFault(channel, name, to);
  if (fault !== null) throw new UsageError(fault);
}
