// Replies get sent: claimed, sent through their channel message by message, settled. Every channel has a loop of its
// own, so that one that is slow or dead slows no other; a scout sees which channels have something waiting. Leases are
// kept while something is sent; a delivery claimed before a crash goes on after it.
import type { Channels } from "../channels/registry.ts";
import type { Clock } from "../core/clock.ts";
import type { ClaimedDelivery } from "../core/delivery.ts";
import { faultKind } from "../core/errors.ts";
import { newId as newUuid } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import { noMetrics } from "../core/metrics.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import { createLoop, type Loop } from "../work/loop.ts";
import { untilStored } from "../work/persist.ts";
import { giveBack } from "./settle.ts";
import { type Conclusion, execute } from "./execute.ts";
import { beginRecord, type DeliveryMetrics, endRecord } from "./observe.ts";

export type CourierOptions = {
  store: Pick<
    Store,
    | "claimDeliveries"
    | "waitingChannels"
    | "advanceDelivery"
    | "renewDeliveries"
    | "settleDelivery"
    | "moveDelivery"
    | "lastTarget"
    | "findRun"
  >;
  channels: () => Channels;
  clock: Clock;
  log: Log;
  leaseMs: number;
  /** There are more deliveries than this node has places for. */
  onFull?: () => void;
  /** On each channel. */
  maxConcurrent?: number;
  sendTimeoutMs?: number;
  metrics?: DeliveryMetrics;
  trace?: Trace;
  newId?: () => string;
  random?: () => number;
};

export type Courier = {
  start(): void;
  /** A reply was stored that may be sent on this channel. */
  kick(channel: string): void;
  /** The channels have changed, or another node has more than it can send. */
  look(): void;
  /** One claim on every channel, resolved when it has been settled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more, lets what is being sent end for `drainMs`, stops the rest, and resolves when that is stored. */
  drain(drainMs: number): Promise<void>;
  busy(): number;
};

/** The scout looks every second: a loop need not look by itself. */
const longestRestMs = 60_000;

/** A claim in hand, and whether someone else has it by now. */
type Held = { delivery: ClaimedDelivery; lost: boolean };

export function createCourier(options: CourierOptions): Courier {
  const { store, channels, clock, log, leaseMs, onFull, maxConcurrent = 4 } = options;
  const { sendTimeoutMs = 60_000, newId = newUuid, random = Math.random } = options;
  const { metrics = noMetrics, trace = carriedTrace } = options;
  const stopping = new AbortController();
  const loops = new Map<string, Loop<ClaimedDelivery>>();
  let isGoing = false;
  let isDraining = false;

  const leases = createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: async (renewal) => ({ held: await store.renewDeliveries({ ...renewal, leaseMs }), cancelled: [] }),
  });

  const stored = <T>(held: Held, write: () => Promise<T>) =>
    untilStored(write, { clock, giveUp: () => held.lost, random });

  const dependencies = { store, channels, clock, sendTimeoutMs, stopping: stopping.signal, newId, random };

  async function attempt(held: Held): Promise<Conclusion> {
    if (isDraining) return { settlement: giveBack(held.delivery) };
    return execute(held.delivery, (cursor) => advance(held, cursor), dependencies);
  }

  async function advance(held: Held, cursor: number): Promise<boolean> {
    const { id, lease } = held.delivery;
    const isOurs = await stored(held, () => store.advanceDelivery({ id, lease, cursor, leaseMs }));
    return isOurs === true;
  }

  /** True when it was stored; false when it was no longer ours. */
  async function keep({ delivery }: Held, conclusion: Conclusion): Promise<boolean> {
    if (conclusion === "lost") return false;
    if ("moveTo" in conclusion) return store.moveDelivery(delivery, conclusion.moveTo);
    return store.settleDelivery(delivery, conclusion.settlement);
  }

  async function handle(delivery: ClaimedDelivery): Promise<void> {
    const startedAt = clock.now();
    const held: Held = { delivery, lost: false };
    const letGo = leases.hold(delivery, () => void (held.lost = true));
    const fields = { deliveryId: delivery.id, runId: delivery.runId, attempt: delivery.attempts };
    const span = beginRecord(delivery, trace);
    let conclusion: Conclusion | null = null;
    let outcome = "lost";
    try {
      // What was read before anything was sent may be read again; what was sent is never sent again here.
      const isKept = await stored(held, async () =>
        keep(held, (conclusion ??= await span.during(() => attempt(held)))),
      );
      if (isKept !== true || conclusion === null || conclusion === "lost")
        return log.warn("a delivery's lease was lost; what it came to is not kept", fields);
      const durationMs = clock.now() - startedAt;
      const done = told(conclusion);
      outcome = done.outcome;
      log.info("delivery", { ...fields, channel: delivery.channel, outcome, durationMs });
      if (done.next !== null) kick(done.next);
    } catch (fault) {
      outcome = "broke";
      log.error("a delivery's attempt broke", { ...fields, kind: faultKind(fault) });
    } finally {
      letGo();
      endRecord(delivery, outcome, span, { metrics, now: clock.now() });
    }
  }

  function loopOf(channel: string): Loop<ClaimedDelivery> {
    const known = loops.get(channel);
    if (known) return known;
    const loop = createLoop<ClaimedDelivery>({
      name: `deliveries on ${channel}`,
      clock,
      log,
      random,
      pollMs: longestRestMs,
      capacity: () => maxConcurrent,
      claim: (limit) => store.claimDeliveries({ channel, limit, lease: newId(), leaseMs }),
      handle,
      ...(onFull && { onFull }),
    });
    loops.set(channel, loop);
    if (isGoing) loop.start();
    return loop;
  }

  function kick(channel: string): void {
    if (!isDraining) loopOf(channel).kick();
  }

  const scout = createLoop<never>({
    name: "the outbox",
    clock,
    log,
    random,
    capacity: () => 1,
    async claim() {
      for (const channel of await store.waitingChannels()) if (!isDraining) loopOf(channel).look();
      return { claimed: [], nextInMs: null };
    },
    handle: async () => {},
  });

  return {
    start() {
      isGoing = true;
      for (const loop of loops.values()) loop.start();
      scout.start();
    },
    kick,
    look: () => scout.look(),
    async tick() {
      await scout.tick();
      await Promise.all([...loops.values()].map((loop) => loop.tick()));
    },
    async drain(drainMs) {
      isDraining = true;
      if (drainMs <= 0) stopping.abort();
      const takeBack = clock.after(drainMs, () => stopping.abort());
      await Promise.all([scout, ...loops.values()].map((loop) => loop.drain()));
      takeBack();
      leases.stop();
    },
    busy: () => [...loops.values()].reduce((sum, loop) => sum + loop.busy(), 0),
  };
}

/** What the log is told, and which channel has more to send now. */
function told(conclusion: Exclude<Conclusion, "lost">): { outcome: string; next: string | null } {
  if ("moveTo" in conclusion) return { outcome: "moved", next: conclusion.moveTo.channel };
  const { status, fallback, countsAttempt } = conclusion.settlement;
  return { outcome: countsAttempt ? status : "released", next: fallback?.channel ?? null };
}
