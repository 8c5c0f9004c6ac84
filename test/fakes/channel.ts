// A channel for tests: keeps what was sent, and answers as it is told.
import type { Channel, Message } from "../../src/channels/channel.ts";
import type { SendOutcome } from "../../src/core/delivery.ts";

export type FakeChannel = Channel & { sent: Message[] };

type Answer = (message: Message, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

export function createFakeChannel(answer: Answer = () => ({ kind: "sent" })): FakeChannel {
  const sent: Message[] = [];
  return {
    sent,
    async send(message, signal) {
      sent.push(message);
      return answer(message, signal);
    },
  };
}

/** A platform that never answers. */
export const createSilentChannel = (): FakeChannel =>
  createFakeChannel((_message, signal) => {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    const stopped = () => resolve({ kind: "unknown", reason: "stopped before the platform answered" });
    if (signal.aborted) stopped();
    else signal.addEventListener("abort", stopped, { once: true });
    return promise;
  });
