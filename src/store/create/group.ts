// Group commit: what arrives while one group is being written forms the next one, so that a flush to disk is shared
// by all that wait for it. A lone request is not held back. When a group fails although the store is there, its
// members are tried one by one: one poisonous request fails alone.
import { setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../../core/errors.ts";

export type Group<Item, Result> = { add(item: Item): Promise<Result> };

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(fault: unknown): void };

export function createGroup<Item, Result>(options: {
  write(items: readonly Item[]): Promise<readonly Result[]>;
  longest: number;
  /** Groups begin at least so far apart: where many come, they are larger, and cost less each. */
  apartMs?: number;
  onWritten?(size: number): void;
}): Group<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let writing = false;
  let begunAt = -Infinity;

  const writeAlone = async ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => {
    try {
      resolve((await options.write([item]))[0] as Result);
    } catch (fault) {
      reject(fault);
    }
  };

  const writeGroup = async (members: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.write(members.map((member) => member.item));
      members.forEach((member, index) => member.resolve(results[index] as Result));
      options.onWritten?.(members.length);
    } catch (fault) {
      if (members.length === 1 || fault instanceof StoreUnavailable) {
        for (const member of members) member.reject(fault);
      } else {
        for (const member of members) await writeAlone(member);
      }
    }
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const earlyMs = begunAt + (options.apartMs ?? 0) - performance.now();
      if (earlyMs > 0) await delay(earlyMs);
      begunAt = performance.now();
      await writeGroup(waiting.splice(0, options.longest));
    }
    writing = false;
  };

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      if (!writing) {
        writing = true;
        // After the requests that this turn of the event loop still has in hand.
        setImmediate(() => void writeAll());
      }
      return promise;
    },
  };
}
