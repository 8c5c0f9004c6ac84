// Sends the messages of one delivery one after another, and stores after each how many were sent: after a crash only the
// message that was being sent can be sent again.
import type { OutgoingMessage } from "../sdk/channel.ts";
import type { LostAttempt } from "../core/attempt.ts";
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";

/** How many messages were sent, and the outcome of the last. `stopped`: it was not sent, because the gateway stops. */
export type Progress = {
  kind: "ended";
  sentMessages: number;
  uncertainSends: number;
  outcome: SendOutcome | { kind: "stopped" };
};

export type Transmission = Progress | LostAttempt;

export type TransmitPorts = {
  send(message: OutgoingMessage): Promise<SendOutcome>;
  /** Stores how many were sent; false when the lease was lost. */
  advance(sentMessages: number): Promise<boolean>;
  isLost(): boolean;
  stopping: AbortSignal;
};

export async function transmit(
  delivery: Pick<ClaimedDelivery, "id" | "sentMessages" | "uncertainSends">,
  to: string,
  messages: readonly string[],
  { send, advance, isLost, stopping }: TransmitPorts,
): Promise<Transmission> {
  let { uncertainSends } = delivery;
  const endedAt = (sentMessages: number, outcome: Progress["outcome"]): Progress => ({
    kind: "ended",
    sentMessages,
    uncertainSends,
    outcome,
  });
  for (const [index, text] of messages.entries()) {
    if (index < delivery.sentMessages) continue;
    if (isLost()) return { kind: "lost" };
    if (stopping.aborted) return endedAt(index, { kind: "stopped" });
    const outcome = await send({ id: `${delivery.id}-${index}`, to, text });
    const isStopped = outcome.kind === "retry" && stopping.aborted;
    if (outcome.kind !== "sent") return endedAt(index, isStopped ? { kind: "stopped" } : outcome);
    uncertainSends = 0;
    const isLast = index === messages.length - 1;
    if (!isLast && !(await advance(index + 1))) return { kind: "lost" };
  }
  return endedAt(messages.length, { kind: "sent" });
}
