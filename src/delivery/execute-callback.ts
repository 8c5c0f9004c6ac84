// Executes one attempt to send a result: what is sent is made of the stored run.
import type { Callback } from "../channels/callback/callbacks.ts";
import type { Clock } from "../core/clock.ts";
import type { ClaimedDelivery } from "../core/delivery.ts";
import type { Run } from "../core/run.ts";
import type { DeliverySettlement } from "../core/settlement.ts";
import type { ReplyRenderer } from "../channels/reply-renderer.ts";
import { sendWithin } from "./send.ts";
import { callbackPolicy, released, settleSend, settleUntried } from "./settle.ts";
import { transmit, type TransmitPorts } from "./transmit.ts";

export type CallbackDependencies = {
  find: (name: string) => Promise<Callback | null>;
  findRun: (id: string) => Promise<Run | null>;
  render: ReplyRenderer["render"];
  clock: Clock;
  sendTimeoutMs: number;
  stopping: AbortSignal;
  newId: () => string;
  random: () => number;
};

/** Null when the lease was lost. */
export async function executeCallback(
  delivery: ClaimedDelivery,
  name: string,
  holding: Pick<TransmitPorts, "advance" | "isLost">,
  dependencies: CallbackDependencies,
): Promise<DeliverySettlement | null> {
  const { find, findRun, render, clock, sendTimeoutMs, stopping, newId, random } = dependencies;
  const startedAt = clock.monotonic();
  const callback = await find(name);
  if (callback === null)
    return settleUntried(delivery, `there is no ${name} in hooks.callbacks any more`, newId);
  const run = await findRun(delivery.runId);
  if (run === null) return settleUntried(delivery, "its run is no longer kept", newId);
  const messages = await render(callback.platform, callback, run.reply ?? "", stopping);
  if (messages === null) return released(delivery);
  if (messages.length === 0) return settleUntried(delivery, "nothing of it can be shown there", newId);
  const sent = await transmit(delivery, delivery.to ?? "", messages.slice(0, callback.mostMessages), {
    send: ({ to, text }) =>
      sendWithin((signal) => callback.send({ run, to, text }, signal), sendTimeoutMs, stopping, clock),
    ...holding,
    stopping,
  });
  if (sent.kind === "lost") return null;
  const waitedMs = delivery.waitedMs + clock.monotonic() - startedAt;
  const moment = { waitedMs, random: random(), newId, idempotent: callback.idempotent };
  return settleSend(delivery, sent, callbackPolicy, moment);
}
