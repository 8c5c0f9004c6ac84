// When a queue is claimed from: one claim at a time, for as many items as there are free slots.
//
//   resting ──wake, timer──▶ claiming ──slots left──▶ resting (until the next item is due)
//                               │  └──full──▶ waiting for a slot
//                               └──store away──▶ backing off ──timer──▶ claiming
import type { Clock } from "../core/clock.ts";
import type { Slots } from "./slots.ts";
import type { Source } from "./source.ts";

export type ClaimingOptions<T> = {
  source: Source<T>;
  slots: Slots;
  clock: Clock;
  pollMs: number;
  /** Takes a slot for the item before it returns. */
  handle: (item: T) => void;
  /** A claim has filled the last slot. */
  onFull: () => void;
};

export type Claiming = {
  start(): void;
  /** Between start and stop. */
  isGoing(): boolean;
  /** There may be more to claim. While the store is away this does nothing: only the timer tries again. */
  wake(): void;
  /** A slot is free, or an item is done. */
  slotFreed(): void;
  /** Whether a slot may be taken for a new item: no stored item waits for it. */
  canReserve(): boolean;
  stop(): void;
  /** Resolves when the current claim, if any, is done. */
  idle(): Promise<void>;
};

export function createClaiming<T>(options: ClaimingOptions<T>): Claiming {
  const { source, slots, clock, pollMs, handle, onFull } = options;
  let state: "new" | "going" | "stopped" = "new";
  let current: Promise<void> | null = null;
  /** How many items the current claim may bring. */
  let expected = 0;
  /** Claim again after the current claim. */
  let again = false;
  /** The last claim filled all free slots, so there may be more items. */
  let leftSome = false;
  let cancelTimer = () => {};

  const wakeSoon = oncePerTurn(() => {
    if (!source.isAway()) claim();
  });
  const wake = (): void => {
    if (!source.isAway()) wakeSoon();
  };

  function rest(restMs: number): void {
    if (state !== "going") return;
    cancelTimer();
    cancelTimer = clock.after(restMs, claim);
  }

  function claim(): void {
    if (state !== "going") return;
    if (current) {
      again = true;
      return;
    }
    const limit = slots.free();
    if (limit <= 0) {
      leftSome = true;
      return rest(pollMs);
    }
    cancelTimer();
    again = false;
    expected = limit;
    current = claimThenRest(limit);
  }

  async function claimThenRest(limit: number): Promise<void> {
    const { claimed, restMs } = await source.claim(limit);
    claimed.forEach(handle);
    current = null;
    expected = 0;
    leftSome = claimed.length === limit;
    if (leftSome) onFull();
    if (again && !source.isAway()) claim();
    else rest(restMs);
  }

  return {
    start() {
      if (state !== "new") return;
      state = "going";
      claim();
    },
    isGoing: () => state === "going",
    wake,
    slotFreed() {
      if (leftSome) wake();
    },
    canReserve: () => state === "going" && !source.isAway() && !leftSome && slots.free() > expected,
    stop() {
      state = "stopped";
      cancelTimer();
    },
    async idle() {
      await current;
    },
  };
}

/** A group commit frees several slots in one turn of the event loop; one claim then fills them all. */
function oncePerTurn(act: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      act();
    });
  };
}
