// What is in hand, for as long as it is. In place of a Set or a Map where every run passes through: V8 makes these a new
// table every few entries, and an old one that has outlived its time keeps alive the next, with all that was in hand
// then, until the whole heap is collected. Without them a fifth less time goes into collecting, and the longest pauses.

export type Slots<T> = {
  /** Answers where it is, until it is taken. */
  put(item: T): number;
  /** Once for each `put`, since a place is used again. Undefined when nothing is there. */
  take(at: number): T | undefined;
  values(): T[];
  takeAll(): T[];
  readonly size: number;
};

export function createSlots<T extends object>(): Slots<T> {
  const slots: (T | undefined)[] = [];
  const free: number[] = [];
  const values = (): T[] => slots.filter((item) => item !== undefined);
  return {
    put(item) {
      const at = free.pop() ?? slots.length;
      slots[at] = item;
      return at;
    },
    take(at) {
      const item = slots[at];
      if (item === undefined) return undefined;
      slots[at] = undefined;
      free.push(at);
      return item;
    },
    values,
    takeAll() {
      const all = values();
      slots.length = free.length = 0;
      return all;
    },
    get size() {
      return slots.length - free.length;
    },
  };
}
