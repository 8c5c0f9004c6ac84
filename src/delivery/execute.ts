// Executes one attempt of a delivery: finds its target, sends its messages, and decides what follows.
import type { Channel } from "../sdk/channel.ts";
import type { Channels } from "../channels/registry.ts";
import type { ReplyRenderer } from "../channels/reply-renderer.ts";
import type { DeliveryAttempt } from "../core/attempt.ts";
import { callbackOfChannel } from "../core/callback.ts";
import type { Clock } from "../core/clock.ts";
import type { ClaimedDelivery } from "../core/delivery.ts";
import type { DeliverySettlement } from "../core/settlement.ts";
import type { Target } from "../core/target.ts";
import type { Store } from "../store/ports/store.ts";
import { executeCallback } from "./execute-callback.ts";
import { withFallback } from "./fallback.ts";
import { findTarget } from "./find-target.ts";
import { sendWithin } from "./send.ts";
import { released, sendPolicy, settleSend, settleSuppressed, settleUntried } from "./settle.ts";
import { transmit } from "./transmit.ts";

export type ExecuteDependencies = {
  store: Pick<Store, "lastTarget" | "findRun">;
  channels: () => Channels;
  render: ReplyRenderer["render"];
  clock: Clock;
  sendTimeoutMs: number;
  /** Fires when the gateway stops without waiting any longer. */
  stopping: AbortSignal;
  newId: () => string;
  random: () => number;
};

type Holding = {
  /** Stores how many messages are sent; false when the lease is lost. */
  advance: (sentMessages: number) => Promise<boolean>;
  isLost: () => boolean;
};

/** `advance` does not reject while the store is unavailable, so once a message was sent this does not either. */
export async function execute(
  delivery: ClaimedDelivery,
  holding: Holding,
  dependencies: ExecuteDependencies,
): Promise<DeliveryAttempt> {
  const { store, newId } = dependencies;
  const channels = dependencies.channels();
  const callback = callbackOfChannel(delivery.channel);
  if (callback !== null) {
    const parts = { ...dependencies, find: channels.callbacks.find, findRun: store.findRun };
    const settlement = await executeCallback(delivery, callback, holding, parts);
    return settlement === null ? { kind: "lost" } : { kind: "settled", settlement };
  }
  const policy = { lastTarget: await store.lastTarget(), configured: channels.configured() };
  const settled = (settlement: DeliverySettlement): DeliveryAttempt => ({
    kind: "settled",
    settlement: withFallback(delivery, settlement, policy, newId),
  });
  const found = await findTarget(delivery, store, policy);
  if (!found.ok) {
    const { status, reason } = found;
    return settled(
      status === "suppressed" ? settleSuppressed(delivery, reason) : settleUntried(delivery, reason, newId),
    );
  }
  const { target } = found;
  if (target.channel !== delivery.channel || target.to !== delivery.to) return { kind: "moved", to: target };
  const channel = channels.find(target.channel);
  if (!channel) throw new Error(`channel ${target.channel} is configured, but was not created`);
  const settlement = await sendAll(delivery, target, channel, holding, dependencies);
  return settlement === null ? { kind: "lost" } : settled(settlement);
}

/** Null when the lease was lost. */
async function sendAll(
  delivery: ClaimedDelivery,
  { channel: name, to }: Target,
  channel: Channel,
  holding: Holding,
  { clock, sendTimeoutMs, stopping, newId, random, render }: ExecuteDependencies,
): Promise<DeliverySettlement | null> {
  const startedAt = clock.monotonic();
  const fault = channel.recipientFault(to);
  if (fault !== null) return settleUntried(delivery, `the recipient ${fault}`, newId);
  const messages = await render(name, channel, delivery.text, stopping);
  if (messages === null) return released(delivery);
  if (messages.length === 0) return settleUntried(delivery, "nothing of it can be shown there", newId);
  const sent = await transmit(delivery, to, messages, {
    send: (message) => sendWithin((signal) => channel.send(message, signal), sendTimeoutMs, stopping, clock),
    ...holding,
    stopping,
  });
  if (sent.kind === "lost") return null;
  const { idempotent } = channel;
  const waitedMs = delivery.waitedMs + clock.monotonic() - startedAt;
  return settleSend(delivery, sent, sendPolicy, { waitedMs, random: random(), newId, idempotent });
}
