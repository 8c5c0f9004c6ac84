// The channel port is public: `rouse/channel`. Here it is under its own roof.
export type { Channel, ChannelPlugin, ChannelTools, CheckResult, OutgoingMessage } from "../sdk/channel.ts";
