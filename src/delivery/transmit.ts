// One delivery's messages, one after another. Each that was sent is stored before the next is: after a crash only the
// one that was on its way can be sent again.
import type { OutgoingMessage } from "../channels/channel.ts";
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";

export type Transmission =
  /** How far it got, and what became of the message there. `stopped`: it was not sent, because the gateway stops. */
  | { cursor: number; doubts: number; outcome: SendOutcome | { kind: "stopped" } }
  /** Someone else has it now. */
  | "lost";

export type TransmitPorts = {
  send(message: OutgoingMessage): Promise<SendOutcome>;
  /** Stores how many were sent; false when the lease was lost. */
  advance(cursor: number): Promise<boolean>;
  stopping: AbortSignal;
};

export async function transmit(
  delivery: Pick<ClaimedDelivery, "id" | "cursor" | "doubts">,
  to: string,
  messages: readonly string[],
  { send, advance, stopping }: TransmitPorts,
): Promise<Transmission> {
  let { doubts } = delivery;
  for (const [index, text] of messages.entries()) {
    if (index < delivery.cursor) continue;
    if (stopping.aborted) return { cursor: index, doubts, outcome: { kind: "stopped" } };
    const outcome = await send({ id: `${delivery.id}-${index}`, to, text });
    const isStopped = outcome.kind === "retry" && stopping.aborted;
    if (outcome.kind !== "sent")
      return { cursor: index, doubts, outcome: isStopped ? { kind: "stopped" } : outcome };
    doubts = 0;
    const isLast = index === messages.length - 1;
    if (!isLast && !(await advance(index + 1))) return "lost";
  }
  return { cursor: messages.length, doubts, outcome: { kind: "sent" } };
}
