// Renews the leases of the items this node works on, and aborts the work when a lease is lost or its item cancelled.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

export type LossReason = "lost" | "cancelled";

export type Leased = { id: string; lease: string };

export type LeaseKeeper = {
  /**
   * Renews a lease until the returned function releases it. `leasedFrom`: the monotonic time at which its claim was
   * sent. The store may have counted from any moment since, so the lease is judged from there.
   */
  keep(item: Leased, leasedFrom: number, abort: (reason: LossReason) => void): () => void;
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
  const betweenMs = Math.min(leaseMs / 3, longestBetweenMs);
  const kept = new Set<Kept>();
  /** When the last renewal of a lease was sent that has not come back. */
  const renewing = new Map<string, number>();
  let failing = false;
  let wakesAt = Infinity;
  let cancelTimer = () => {};

  function wakeAt(at: number): void {
    if (at >= wakesAt) return;
    cancelTimer();
    wakesAt = at;
    cancelTimer = clock.after(Math.max(0, at - clock.monotonic()), () => {
      wakesAt = Infinity;
      renewAll();
      for (const { heldUntil } of kept) wakeAt(Math.min(clock.monotonic() + betweenMs, heldUntil));
    });
  }

  function lose(item: Kept): void {
    kept.delete(item);
    item.abort("lost");
  }

  function renewAll(): void {
    const now = clock.monotonic();
    for (const item of kept) if (item.heldUntil <= now) lose(item);
    // A renewal that takes long may never come back; another is sent beside it.
    for (const [lease, items] of Map.groupBy(kept, (item) => item.lease))
      if (now - (renewing.get(lease) ?? -Infinity) >= leaseMs / 3) void renewOne(lease, items);
  }

  async function renewOne(lease: string, items: readonly Kept[]): Promise<void> {
    const sentAt = clock.monotonic();
    renewing.set(lease, sentAt);
    try {
      const { held, cancelled } = await renew({ ids: items.map(({ id }) => id), lease });
      if (failing) log.info("leases can be renewed again");
      failing = false;
      for (const item of items) {
        if (!kept.has(item)) continue;
        item.heldUntil = Math.max(item.heldUntil, sentAt + leaseMs);
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
      if (renewing.get(lease) === sentAt) renewing.delete(lease);
    }
  }

  return {
    keep(item, leasedFrom, abort) {
      const entry: Kept = { ...item, abort, heldUntil: leasedFrom + leaseMs, cancelled: false };
      if (entry.heldUntil <= clock.monotonic()) abort("lost");
      else {
        kept.add(entry);
        wakeAt(Math.min(leasedFrom + betweenMs, entry.heldUntil));
      }
      return () => void kept.delete(entry);
    },
    stop() {
      cancelTimer();
      wakesAt = Infinity;
      kept.clear();
    },
  };
}
