// The slots of one queue on one node: how many items may be handled at once.

export type Slots = {
  /** How many more items may start. */
  free(): number;
  take(): Slot;
  /** How many items are not done. */
  busy(): number;
  /** Resolves when every item is done. */
  idle(): Promise<void>;
};

export type Slot = {
  /** Another item may take the slot while the outcome of this one is being stored. */
  free(): void;
  /** The item is done; frees the slot if it is not free yet. */
  end(): void;
};

export function createSlots(capacity: () => number): Slots {
  let taken = 0;
  let unfinished = 0;
  let idle = Promise.withResolvers<void>();

  function take(): Slot {
    let isFree = false;
    taken++;
    unfinished++;
    const free = (): void => {
      if (!isFree) taken--;
      isFree = true;
    };
    return {
      free,
      end() {
        free();
        unfinished--;
        if (unfinished > 0) return;
        idle.resolve();
        idle = Promise.withResolvers<void>();
      },
    };
  }

  return {
    // At most as many items as there are slots may wait for their outcomes to be stored; beyond that none are claimed.
    free: () => Math.min(capacity() - taken, 2 * capacity() - unfinished),
    take,
    busy: () => unfinished,
    async idle() {
      while (unfinished > 0) await idle.promise;
    },
  };
}
