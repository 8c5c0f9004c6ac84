// The delivery attempts that run on this node. Each is executed under its lease, and what follows is stored; on a clean
// stop, those that do not end in time are released.
import type { DeliveryAttempt } from "../core/attempt.ts";
import type { ClaimedDelivery, DeliveryStatus } from "../core/delivery.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Span, Trace } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import { untilStored } from "../work/persist.ts";
import { execute, type ExecuteDependencies } from "./execute.ts";
import { type DeliveryMetrics, observeEnd, observeStart } from "./observe.ts";
import { released } from "./settle.ts";

export type AttemptsOptions = Omit<ExecuteDependencies, "store" | "stopping"> & {
  store: ExecuteDependencies["store"] &
    Pick<Store, "advanceDelivery" | "renewDeliveries" | "settleDelivery" | "moveDelivery">;
  log: Log;
  leaseMs: number;
  metrics: DeliveryMetrics;
  trace: Trace;
  /** This channel has another delivery to send: a fallback, or a moved one. */
  onNext: (channel: string) => void;
  /** A delivery is in another state in the store. */
  onChanged?: (deliveryId: string, status: DeliveryStatus) => void;
};

export type RunningAttempts = {
  handle(work: DeliveryWork): Promise<void>;
  /** From now on a delivery is released without an attempt. */
  refuse(): void;
  /** Stops what is being sent. */
  stop(): void;
  end(): void;
};

/** `leasedFrom`: the monotonic time at which the claim was sent. */
export type DeliveryWork = { delivery: ClaimedDelivery; leasedFrom: number };

/** A claimed delivery; `isLost` once another node holds the lease. */
type Held = { delivery: ClaimedDelivery; isLost: boolean };

const lost: DeliveryAttempt = { kind: "lost" };

export function createAttempts(options: AttemptsOptions): RunningAttempts {
  const { store, clock, log, leaseMs, random, metrics, trace, onNext } = options;
  const stopping = new AbortController();
  const dependencies = { ...options, stopping: stopping.signal };
  const leases = createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: async (renewal) => ({ held: await store.renewDeliveries({ ...renewal, leaseMs }), cancelled: [] }),
  });
  let isRefusing = false;

  /** Retries while the store is unavailable, until the lease is lost. */
  const untilDone = <T>(held: Held, work: () => Promise<T>): Promise<T | "given-up"> =>
    untilStored(work, { clock, giveUp: () => held.isLost, random });

  async function advance(held: Held, sentMessages: number): Promise<boolean> {
    const { id, lease } = held.delivery;
    return (
      (await untilDone(held, () => store.advanceDelivery({ id, lease, sentMessages, leaseMs }))) === true
    );
  }

  async function send(held: Held): Promise<DeliveryAttempt> {
    const { delivery } = held;
    if (isRefusing) return { kind: "settled", settlement: released(delivery) };
    return execute(
      delivery,
      { advance: (sentMessages) => advance(held, sentMessages), isLost: () => held.isLost },
      dependencies,
    );
  }

  async function sendAndStore(held: Held, span: Span): Promise<DeliveryAttempt> {
    // A read that fails before the first message is sent is repeated; after that, no fault of the store gets here.
    const attempt = await untilDone(held, () => span.during(() => send(held)));
    if (attempt === "given-up" || attempt.kind === "lost") return lost;
    const isStored = await untilDone(held, () => storeAttempt(held.delivery, attempt, store));
    return isStored === true ? attempt : lost;
  }

  async function handle({ delivery, leasedFrom }: DeliveryWork): Promise<void> {
    const fields = { deliveryId: delivery.id, runId: delivery.runId, attempt: delivery.attempts };
    const startedAt = clock.monotonic();
    const held: Held = { delivery, isLost: false };
    const release = leases.keep(delivery, leasedFrom, () => void (held.isLost = true));
    const span = observeStart(delivery, trace);
    let outcome = "broke";
    try {
      const attempt = await sendAndStore(held, span);
      const durationMs = clock.monotonic() - startedAt;
      outcome = outcomeOf(attempt);
      if (attempt.kind === "lost")
        log.warn("a delivery's lease was lost; this attempt's outcome is not stored", fields);
      else log.info("delivery", { ...fields, channel: delivery.channel, outcome, durationMs });
      tellChange(delivery, attempt, options);
      const next = nextChannel(attempt);
      if (next !== null) onNext(next);
    } catch (fault) {
      log.error("a delivery's attempt broke", { ...fields, kind: faultKind(fault) });
    } finally {
      release();
      const waitedMs = delivery.waitedMs + clock.monotonic() - startedAt;
      observeEnd(delivery, outcome, span, { metrics, waitedMs });
    }
  }

  return {
    handle,
    refuse() {
      isRefusing = true;
    },
    stop: () => stopping.abort(),
    end: leases.stop,
  };
}

/** False when another node holds the lease. */
async function storeAttempt(
  delivery: ClaimedDelivery,
  attempt: DeliveryAttempt,
  store: Pick<Store, "settleDelivery" | "moveDelivery">,
): Promise<boolean> {
  switch (attempt.kind) {
    case "settled":
      return store.settleDelivery(delivery, attempt.settlement);
    case "moved":
      return store.moveDelivery(delivery, attempt.to);
    case "lost":
      return false;
  }
}

function tellChange(
  { id }: ClaimedDelivery,
  attempt: DeliveryAttempt,
  { onChanged }: Pick<AttemptsOptions, "onChanged">,
): void {
  if (attempt.kind === "lost") return;
  onChanged?.(id, attempt.kind === "settled" ? attempt.settlement.status : "waiting");
  const fallback = attempt.kind === "settled" ? attempt.settlement.fallback : null;
  if (fallback) onChanged?.(fallback.id, fallback.status);
}

/** For the log, the span and the metrics. */
function outcomeOf(attempt: DeliveryAttempt): string {
  if (attempt.kind !== "settled") return attempt.kind;
  const { status, countsAttempt } = attempt.settlement;
  return countsAttempt ? status : "released";
}

function nextChannel(attempt: DeliveryAttempt): string | null {
  switch (attempt.kind) {
    case "settled":
      return attempt.settlement.fallback?.channel ?? null;
    case "moved":
      return attempt.to.channel;
    case "lost":
      return null;
  }
}
