// Keeps the leases of what is in hand, and says when one is gone or its work is no longer wanted.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { createSlots } from "../core/slots.ts";

export type LossReason = "lost" | "cancelled";

export type Leased = { id: string; lease: string };

export type LeaseKeeper = {
  /** From a claim that has just been made. The returned function ends the keeping. */
  hold(item: Leased, abort: (reason: LossReason) => void): () => void;
  stop(): void;
};

export type LeaseOptions = {
  clock: Clock;
  log: Log;
  leaseMs: number;
  renew: (renewal: { ids: string[]; lease: string }) => Promise<{ held: string[]; cancelled: string[] }>;
};

/** Cancellations are found when renewing, so it is done at least this often. */
const longestBetweenMs = 1000;

type Kept = Leased & {
  abort: (reason: LossReason) => void;
  heldUntil: number;
  cancelled: boolean;
  /** Where it is kept; null once it is not. */
  at: number | null;
};

export function createLeaseKeeper({ clock, log, leaseMs, renew }: LeaseOptions): LeaseKeeper {
  const kept = createSlots<Kept>();
  const renewing = new Set<string>();
  let failing = false;
  let takeBackTimer: (() => void) | null = null;

  function schedule(): void {
    if (takeBackTimer || kept.size === 0) return;
    takeBackTimer = clock.after(Math.min(leaseMs / 3, longestBetweenMs), () => {
      takeBackTimer = null;
      beat();
      schedule();
    });
  }

  function letGo(item: Kept): void {
    if (item.at !== null) kept.take(item.at);
    item.at = null;
  }

  function lose(item: Kept): void {
    letGo(item);
    item.abort("lost");
  }

  function beat(): void {
    const byLease = new Map<string, Kept[]>();
    for (const item of kept.values()) {
      if (item.heldUntil <= clock.now()) lose(item);
      else byLease.set(item.lease, [...(byLease.get(item.lease) ?? []), item]);
    }
    for (const [lease, items] of byLease) if (!renewing.has(lease)) void renewOne(lease, items);
  }

  async function renewOne(lease: string, items: readonly Kept[]): Promise<void> {
    const heldUntil = clock.now() + leaseMs;
    renewing.add(lease);
    try {
      const answer = await renew({ ids: items.map(({ id }) => id), lease });
      if (failing) log.info("leases can be renewed again");
      failing = false;
      for (const item of items) {
        if (item.at === null) continue;
        item.heldUntil = heldUntil;
        if (!answer.held.includes(item.id)) lose(item);
        else if (!item.cancelled && answer.cancelled.includes(item.id)) {
          item.cancelled = true;
          item.abort("cancelled");
        }
      }
    } catch (fault) {
      if (!failing) log.warn("leases cannot be renewed now", { kind: faultKind(fault) });
      failing = true;
    } finally {
      renewing.delete(lease);
    }
  }

  return {
    hold(item, abort) {
      const entry: Kept = { ...item, abort, heldUntil: clock.now() + leaseMs, cancelled: false, at: null };
      entry.at = kept.put(entry);
      schedule();
      return () => letGo(entry);
    },
    stop() {
      takeBackTimer?.();
      takeBackTimer = null;
      kept.values().forEach(letGo);
    },
  };
}
