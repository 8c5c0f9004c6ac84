// Renews the leases of the items this node works on, and aborts the work when a lease is lost or its item cancelled.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

export type LossReason = "lost" | "cancelled";

export type Leased = { id: string; lease: string };

export type LeaseKeeper = {
  /** Renews a lease that was claimed just now, until the returned function releases it. */
  keep(item: Leased, abort: (reason: LossReason) => void): () => void;
  stop(): void;
};

export type LeaseOptions = {
  clock: Clock;
  log: Log;
  leaseMs: number;
  renew: (renewal: { ids: string[]; lease: string }) => Promise<{ held: string[]; cancelled: string[] }>;
};

/** Renewing also finds cancellations, so it is done at least this often. */
const longestBetweenMs = 1000;

type Kept = Leased & {
  abort: (reason: LossReason) => void;
  heldUntil: number;
  cancelled: boolean;
};

export function createLeaseKeeper({ clock, log, leaseMs, renew }: LeaseOptions): LeaseKeeper {
  const kept = new Set<Kept>();
  const renewing = new Set<string>();
  let failing = false;
  let cancelTimer: (() => void) | null = null;

  function schedule(): void {
    if (cancelTimer || kept.size === 0) return;
    cancelTimer = clock.after(Math.min(leaseMs / 3, longestBetweenMs), () => {
      cancelTimer = null;
      renewAll();
      schedule();
    });
  }

  function lose(item: Kept): void {
    kept.delete(item);
    item.abort("lost");
  }

  function renewAll(): void {
    for (const item of kept) if (item.heldUntil <= clock.monotonic()) lose(item);
    for (const [lease, items] of Map.groupBy(kept, (item) => item.lease))
      if (!renewing.has(lease)) void renewOne(lease, items);
  }

  async function renewOne(lease: string, items: readonly Kept[]): Promise<void> {
    const heldUntil = clock.monotonic() + leaseMs;
    renewing.add(lease);
    try {
      const { held, cancelled } = await renew({ ids: items.map(({ id }) => id), lease });
      if (failing) log.info("leases can be renewed again");
      failing = false;
      for (const item of items) {
        if (!kept.has(item)) continue;
        item.heldUntil = heldUntil;
        if (!held.includes(item.id)) lose(item);
        else if (!item.cancelled && cancelled.includes(item.id)) {
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
    keep(item, abort) {
      const entry: Kept = { ...item, abort, heldUntil: clock.monotonic() + leaseMs, cancelled: false };
      kept.add(entry);
      schedule();
      return () => void kept.delete(entry);
    },
    stop() {
      cancelTimer?.();
      cancelTimer = null;
      kept.clear();
    },
  };
}
