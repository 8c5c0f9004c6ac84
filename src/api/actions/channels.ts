// What an operator does with channels: a test message, and where the main session's replies go.
import type { SendOutcome } from "../../core/delivery.ts";
import { newId } from "../../core/id.ts";
import { nearest } from "../../core/nearest.ts";
import { type ConfiguredChannel, platforms } from "../../core/target.ts";
import type { Channel } from "../../sdk/channel.ts";

export type ConfiguredChannels = {
  find(name: string): Channel | null;
  configured(): readonly ConfiguredChannel[];
};

export const testText = "This is a test message from Rouse. If you can read it, replies will arrive here.";

/** The channel's name in lower case: it is known, but need not be configured. Or what to say instead. */
export function channelName(
  written: string,
  channels: ConfiguredChannels,
): { name: string } | { fault: string } {
  const known = new Set([...platforms, ...channels.configured().map(({ channel }) => channel)]);
  const name = written.toLowerCase();
  if (known.has(name)) return { name };
  const near = nearest(name, [...known]);
  const hint = near ? `Did you mean ${near}?` : `Known channels: ${[...known].join(", ")}`;
  return { fault: `There is no channel ${written}. ${hint}` };
}

/** Null when this may be a recipient there. */
export function recipientFault(channel: Channel, name: string, to: string): string | null {
  const fault = channel.recipientFault(to);
  return fault === null ? null : `${to} cannot be a recipient on ${name}: it ${fault}.`;
}

/** Sends through the channel directly: stores nothing and never retries. */
export async function sendTest(
  channel: Channel,
  to: string,
  text: string,
  signal: AbortSignal,
): Promise<{ outcome: SendOutcome; sentMessages: number }> {
  const id = newId();
  const messages = channel.render(text);
  for (const [index, message] of messages.entries()) {
    const outcome = await channel.send({ id: `${id}-${index}`, to, text: message }, signal);
    if (outcome.kind !== "sent") return { outcome, sentMessages: index };
  }
  return { outcome: { kind: "sent" }, sentMessages: messages.length };
}

/** Why it was not sent, as fields of the result. */
export const outcomeFields = (outcome: SendOutcome) => ({
  reason: "reason" in outcome ? outcome.reason : null,
  retryAfterSeconds:
    outcome.kind === "retry" && outcome.afterMs !== null ? Math.ceil(outcome.afterMs / 1000) : null,
});
