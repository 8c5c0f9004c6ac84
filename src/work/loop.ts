// How any durable queue is worked: claim as many items as there are free slots, handle them in parallel, and claim again
// when a slot becomes free, on a kick, or when the next item is due. A handler may free its
// slot before it finishes, so that the next claim overlaps with storing the result.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Claim } from "../core/lease.ts";
import type { Log } from "../core/log.ts";
import { createClaiming } from "./claiming.ts";
import { createSlots, type Slot } from "./slots.ts";
import { createSource } from "./source.ts";

export type LoopOptions<T> = {
  /** What is worked, for the log. */
  name: string;
  clock: Clock;
  log: Log;
  pollMs?: number;
  random?: () => number;
  capacity: () => number;
  claim: (limit: number) => Promise<Claim<T>>;
  /** A fault in it is logged. A claimed item is always handled, also after `stop`. */
  handle: (item: T, freeSlot: () => void) => Promise<void>;
  /** Whether the end of this item may make another item due, so that a claim is worth it. */
  opensNext?: (item: T) => boolean;
  /** There may be more items than slots, and another node may have free ones. */
  onFull?: () => void;
};

/** A slot for an item that is about to be stored as claimed. Exactly one of the two is called, once. */
export type Reservation<T> = { take(item: T): void; free(): void };

export type Loop<T> = {
  start(): void;
  /** There is more to do. */
  kick(): void;
  /** There may be more to do, as another node has announced. Unlike a kick it never calls `onFull`. */
  poll(): void;
  /** Null when no slot is free, or when stored items wait for it. */
  reserve(): Reservation<T> | null;
  /** One claim, resolved when all it brought has been handled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more. */
  stop(): void;
  /** Claims no more, and resolves when everything claimed has been handled. */
  drain(): Promise<void>;
  busy(): number;
};

export function createLoop<T>(options: LoopOptions<T>): Loop<T> {
  const { name, clock, log, pollMs = 1000, random = Math.random, onFull = () => {} } = options;
  const slots = createSlots(options.capacity);
  const source = createSource({ name, log, pollMs, random, claim: options.claim });
  const handle = handling(options, (opensNext) => (opensNext ? claiming.wake() : claiming.slotFreed()));
  const handleClaimed = (item: T): Promise<void> => handle(item, slots.take());
  const claiming = createClaiming({
    source,
    slots,
    clock,
    pollMs,
    handle: (item) => void handleClaimed(item),
    onFull,
  });

  return {
    start: claiming.start,
    kick() {
      if (claiming.isGoing() && slots.free() <= 0) onFull();
      claiming.wake();
    },
    poll: claiming.wake,
    reserve: () => (claiming.canReserve() ? reservation(slots.take(), handle, claiming.slotFreed) : null),
    async tick() {
      const limit = slots.free();
      if (limit > 0) await Promise.all((await source.claim(limit)).claimed.map(handleClaimed));
    },
    stop: claiming.stop,
    async drain() {
      claiming.stop();
      await claiming.idle();
      await slots.idle();
    },
    busy: slots.busy,
  };
}

type Handle<T> = (item: T, slot: Slot) => Promise<void>;

/** Handles an item in its slot. `onFree` is called when the slot is free, and again when the item is done. */
function handling<T>(
  { name, log, handle, opensNext = () => true }: LoopOptions<T>,
  onFree: (opensNext: boolean) => void,
): Handle<T> {
  return async (item, slot) => {
    const freeSlot = (): void => {
      slot.free();
      onFree(false);
    };
    try {
      await handle(item, freeSlot);
    } catch (fault) {
      log.error(`handling ${name} broke`, { kind: faultKind(fault) });
    }
    slot.end();
    onFree(opensNext(item));
  };
}

function reservation<T>(slot: Slot, handle: Handle<T>, onFree: () => void): Reservation<T> {
  return {
    // In a later turn of the event loop, so that the caller gets its response first.
    take(item) {
      setImmediate(() => void handle(item, slot));
    },
    free() {
      slot.end();
      onFree();
    },
  };
}
