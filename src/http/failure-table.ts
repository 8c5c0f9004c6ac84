// Counts of failures by client address, in bounded memory.
//
//   unknown ──entryFor──▶ counting ──limit──▶ limited ──window over──▶ unknown
//
// A window starts with an address's first failure. A full table forgets the oldest counting addresses and never a
// limited one. When all are limited, further addresses share one entry.

export type Entry = { failures: number; endsAt: number };

export type FailureTable = {
  /** The entry of the address's open window; opens one when there is none. */
  entryFor(address: string, now: number): Entry;
  /** The entry of its open window; null when there is none. */
  find(address: string, now: number): Entry | null;
  limit(address: string): void;
  size(): number;
};

const sweepEveryMs = 1_000;

export function createFailureTable(capacity: number, windowMs: () => number): FailureTable {
  // Forgets several at once: a Map gets slow when its first entry is deleted again and again.
  const batch = Math.max(1, Math.floor(capacity / 64));
  // All windows are equally long, so the order of insertion is the order of expiry.
  const counting = new Map<string, Entry>();
  const limited = new Map<string, Entry>();
  let shared: Entry | null = null;
  let sweptAt = -Infinity;

  const isFull = (): boolean => counting.size + limited.size >= capacity;
  const newEntry = (now: number): Entry => ({ failures: 0, endsAt: now + windowMs() });
  /** A window that ends later than a new one would is over, too: it began when windows were longer. */
  const isOver = ({ endsAt }: Entry, now: number): boolean => endsAt <= now || endsAt > now + windowMs();

  function find(address: string, now: number): Entry | null {
    const table = limited.has(address) ? limited : counting;
    const entry = table.get(address);
    if (entry === undefined) return null;
    if (!isOver(entry, now)) return entry;
    table.delete(address);
    return null;
  }

  /** Forgets the oldest counting addresses and expired limited ones. False: the table is full of limited ones. */
  function makeSpace(now: number): boolean {
    let dropped = 0;
    for (const [address, entry] of counting) {
      if (dropped >= batch && !isOver(entry, now)) break;
      counting.delete(address);
      dropped++;
    }
    if (isFull() && now - sweptAt >= sweepEveryMs) {
      sweptAt = now;
      for (const [address, entry] of limited) if (isOver(entry, now)) limited.delete(address);
    }
    return !isFull();
  }

  return {
    entryFor(address, now) {
      const known = find(address, now);
      if (known !== null) return known;
      if (isFull() && !makeSpace(now)) {
        if (shared === null || isOver(shared, now)) shared = newEntry(now);
        return shared;
      }
      const entry = newEntry(now);
      counting.set(address, entry);
      return entry;
    },
    find,
    limit(address) {
      const entry = counting.get(address);
      if (entry === undefined) return;
      counting.delete(address);
      limited.set(address, entry);
    },
    size: () => counting.size + limited.size,
  };
}
