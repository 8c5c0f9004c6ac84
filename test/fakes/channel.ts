// A channel for tests: keeps what was sent, and gives the chosen outcomes. Each line of a reply is a message.
import type { Channel, OutgoingMessage } from "../../src/sdk/channel.ts";
import type { SendOutcome } from "../../src/core/delivery.ts";

export type FakeChannel = Channel & { sent: OutgoingMessage[] };

type OutcomeOf = (message: OutgoingMessage, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

export function createFakeChannel(
  outcomeOf: OutcomeOf = () => ({ kind: "sent" }),
  { idempotent = false } = {},
): FakeChannel {
  const sent: OutgoingMessage[] = [];
  return {
    sent,
    idempotent,
    recipientFault: (to) => (to.trim() === "" ? "must not be blank" : null),
    render: (markdown) => markdown.split("\n").filter((line) => line.trim() !== ""),
    check: async () => ({ ok: true, detail: "a fake" }),
    async send(message, signal) {
      sent.push(message);
      return outcomeOf(message, signal);
    },
  };
}

/** A platform that never responds. */
export const createSilentChannel = (): FakeChannel =>
  createFakeChannel((_message, signal) => {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    const stopped = () => resolve({ kind: "unknown", reason: "stopped before the platform responded" });
    if (signal.aborted) stopped();
    else signal.addEventListener("abort", stopped, { once: true });
    return promise;
  });
