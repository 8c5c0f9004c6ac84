// A short reply, sent as the outbox sends it.
import type { Channel, SendOutcome } from "../channel.ts";
import { going, type PlatformCall } from "./recording.fixture.ts";

export const messageOn = (channel: Channel, to: string, markdown = "Hello.") => ({
  id: "0198c0de-0000-7000-8000-000000000001-0",
  to,
  text: channel.render(markdown)[0] ?? "",
});

export const sendOn = (channel: Channel, to: string, markdown?: string): Promise<SendOutcome> =>
  channel.send(messageOn(channel, to, markdown), going());

export const reasonOf = (outcome: SendOutcome): string => ("reason" in outcome ? outcome.reason : "");

/** The JSON of a request that was made. */
export const bodyOf = (calls: readonly PlatformCall[], at = 0): unknown => calls[at]?.json;
