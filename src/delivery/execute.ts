// One attempt of a delivery: where it goes now, its messages, and what follows from how far they got.
import type { Channel } from "../channels/channel.ts";
import type { Channels } from "../channels/registry.ts";
import type { Clock } from "../core/clock.ts";
import type { ClaimedDelivery } from "../core/delivery.ts";
import type { Target } from "../core/target.ts";
import type { DeliverySettlement } from "../core/settlement.ts";
import type { Store } from "../store/ports/store.ts";
import { sendPolicy, settleSend, settleUntried } from "./settle.ts";
import { withFallback } from "./fallback.ts";
import { findTarget } from "./find-target.ts";
import { sendWithin } from "./send.ts";
import { transmit } from "./transmit.ts";

/** It moves when it has another target now; it is lost when someone else has it. */
export type Conclusion = { settlement: DeliverySettlement } | { moveTo: Target } | "lost";

export type ExecuteDependencies = {
  store: Pick<Store, "lastTarget" | "findRun">;
  channels: () => Channels;
  clock: Clock;
  sendTimeoutMs: number;
  /** Fires when the gateway stops and waits no longer. */
  stopping: AbortSignal;
  newId: () => string;
  random: () => number;
};

/** `advance` stores how many messages were sent. Once the first was sent it never rejects because the store is away. */
export async function execute(
  delivery: ClaimedDelivery,
  advance: (cursor: number) => Promise<boolean>,
  dependencies: ExecuteDependencies,
): Promise<Conclusion> {
  const { store, newId } = dependencies;
  const channels = dependencies.channels();
  const policy = { lastTarget: await store.lastTarget(), configured: channels.configured() };
  const found = await findTarget(delivery, store, policy);
  const end = (settlement: DeliverySettlement) => ({
    settlement: withFallback(delivery, settlement, policy, newId),
  });
  if (!found.ok) return end(settleUntried(delivery, found.reason, newId));
  const { target } = found;
  if (target.channel !== delivery.channel || target.to !== delivery.to) return { moveTo: target };
  const channel = channels.find(target.channel);
  if (!channel) throw new Error("a configured channel is there");
  const settlement = await sendAll(delivery, target, channel, advance, dependencies);
  return settlement === "lost" ? settlement : end(settlement);
}

async function sendAll(
  delivery: ClaimedDelivery,
  { to }: Target,
  channel: Channel,
  advance: (cursor: number) => Promise<boolean>,
  { clock, sendTimeoutMs, stopping, newId, random }: ExecuteDependencies,
): Promise<DeliverySettlement | "lost"> {
  const fault = channel.recipientFault(to);
  if (fault !== null) return settleUntried(delivery, `the recipient ${fault}`, newId);
  const messages = channel.render(delivery.text);
  if (messages.length === 0) return settleUntried(delivery, "nothing of it can be shown there", newId);
  const sent = await transmit(delivery, to, messages, {
    send: (message) => sendWithin((signal) => channel.send(message, signal), sendTimeoutMs, stopping, clock),
    advance,
    stopping,
  });
  if (sent === "lost") return sent;
  const { idempotent } = channel;
  return settleSend(delivery, sent, sendPolicy, { now: clock.now(), random: random(), newId, idempotent });
}
