// Replies get sent: claimed, sent through their channel, settled. The lease outlasts the longest send, so that it
// needs no renewing; a delivery claimed before a crash is sent again after it.
import type { Channels } from "../channels/registry.ts";
import type { Clock } from "../core/clock.ts";
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";
import { faultKind } from "../core/errors.ts";
import { newId as newUuid } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import type { DeliverySettlement, Store } from "../store/store.ts";
import { createLoop } from "../work/loop.ts";
import { untilStored } from "../work/persist.ts";
import { giveBack, sendPolicy, settleSend, settleUnresolved } from "./attempt.ts";
import { findTarget } from "./find-target.ts";
import { sendWithin } from "./send.ts";

export type CourierOptions = {
  store: Pick<Store, "claimDeliveries" | "settleDelivery" | "lastTarget" | "findRun">;
  channels: () => Channels;
  clock: Clock;
  log: Log;
  maxConcurrent?: number;
  sendTimeoutMs?: number;
  newId?: () => string;
  random?: () => number;
};

export type Courier = {
  start(): void;
  /** A reply was stored that may be sent. */
  kick(): void;
  /** One claim, resolved when it has been settled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more, lets what is being sent end for `drainMs`, stops the rest, and resolves when that is stored. */
  drain(drainMs: number): Promise<void>;
  busy(): number;
};

export function createCourier(options: CourierOptions): Courier {
  const { store, channels, clock, log, maxConcurrent = 8, sendTimeoutMs = 60_000 } = options;
  const { newId = newUuid, random = Math.random } = options;
  const leaseMs = 2 * sendTimeoutMs;
  const stopping = new AbortController();
  let draining = false;

  async function attempt(delivery: ClaimedDelivery): Promise<DeliverySettlement> {
    if (draining) return giveBack(delivery);
    const resolved = await findTarget(delivery, store, channels().configured());
    if (!resolved.ok) return settleUnresolved(delivery, resolved, newId);
    const { target } = resolved;
    const channel = channels().find(target.channel);
    const message = { deliveryId: delivery.id, to: target.to, text: delivery.text };
    const outcome: SendOutcome = channel
      ? await sendWithin((signal) => channel.send(message, signal), sendTimeoutMs, stopping.signal, clock)
      : { kind: "rejected", reason: `the channel ${target.channel} is not configured` };
    if (stopping.signal.aborted && outcome.kind === "retry") return giveBack(delivery);
    return settleSend(delivery, target, outcome, sendPolicy, { now: clock.now(), random: random(), newId });
  }

  async function handle(delivery: ClaimedDelivery): Promise<void> {
    const startedAt = clock.now();
    const fields = { deliveryId: delivery.id, runId: delivery.runId, attempt: delivery.attempts };
    const giveUp = () => clock.now() >= startedAt + leaseMs;
    let settlement: DeliverySettlement | null = null;
    try {
      const stored = await untilStored(
        async () => store.settleDelivery(delivery, (settlement ??= await attempt(delivery))),
        { clock, giveUp, random },
      );
      if (stored !== true)
        return log.warn("a delivery's lease was lost; what it came to is not kept", fields);
      const { channel = "", status = "" } = settlement ?? {};
      log.info("delivery", { ...fields, channel, outcome: status, durationMs: clock.now() - startedAt });
    } catch (fault) {
      log.error("a delivery's attempt broke", { ...fields, kind: faultKind(fault) });
    }
  }

  const loop = createLoop<ClaimedDelivery>({
    name: "deliveries",
    clock,
    log,
    random,
    capacity: () => maxConcurrent,
    claim: (limit) => store.claimDeliveries({ limit, lease: newId(), leaseMs }),
    handle,
  });

  return {
    start: () => loop.start(),
    kick: () => loop.kick(),
    tick: () => loop.tick(),
    async drain(drainMs) {
      draining = true;
      if (drainMs <= 0) stopping.abort();
      const takeBack = clock.after(drainMs, () => stopping.abort());
      await loop.drain();
      takeBack();
    },
    busy: () => loop.busy(),
  };
}
