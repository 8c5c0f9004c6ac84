// Group commit: items that arrive during a commit form the next group and share its fsync. When a group fails although
// the store is available, its members are written one by one, so that only the faulty one fails.
import { StoreUnavailable } from "../../core/errors.ts";

/**
 * A group larger than this is at most twice as large as the one before it. Without the limit, callers that wait for
 * their results fall into step: all of them are in one group, and the store and this thread wait for each other.
 */
const freeSize = 16;

export type Group<Item, Result> = { add(item: Item): Promise<Result> };

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(fault: unknown): void };

export function createGroup<Item, Result>(options: {
  write(items: readonly Item[]): Promise<readonly Result[]>;
  longest: number;
  onWritten?(size: number): void;
}): Group<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let writing = false;

  const writeOne = async ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => {
    try {
      resolve((await options.write([item]))[0] as Result);
    } catch (fault) {
      reject(fault);
    }
  };

  /** Returns a function that gives the members their results; it is called when the next group has been sent. */
  const writeGroup = async (members: Waiting<Item, Result>[]): Promise<() => void> => {
    try {
      const results = await options.write(members.map((member) => member.item));
      options.onWritten?.(members.length);
      return () => members.forEach((member, index) => member.resolve(results[index] as Result));
    } catch (fault) {
      if (members.length === 1 || fault instanceof StoreUnavailable)
        return () => members.forEach((member) => member.reject(fault));
      for (const member of members) await writeOne(member);
      return () => {};
    }
  };

  const writeAll = async (): Promise<void> => {
    let most = options.longest;
    let giveResults = (): void => {};
    while (waiting.length > 0) {
      const members = waiting.splice(0, most);
      most = Math.min(options.longest, Math.max(freeSize, 2 * members.length));
      const written = writeGroup(members);
      giveResults();
      giveResults = await written;
    }
    writing = false;
    giveResults();
  };

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      if (!writing) {
        writing = true;
        // After the other requests of this turn of the event loop have been added.
        setImmediate(() => void writeAll());
      }
      return promise;
    },
  };
}
