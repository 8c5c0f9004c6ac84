// Requests with the same Idempotency-Key, one after another: each sees what came of the one before it.

export type KeyQueues = {
  /** Does the work once all earlier work under this key has ended, also if it failed. */
  add<T>(key: string, work: () => Promise<T>): Promise<T>;
};

export function createKeyQueues(): KeyQueues {
  const newest = new Map<string, Promise<unknown>>();
  return {
    async add(key, work) {
      const earlier = newest.get(key);
      const added = earlier === undefined ? work() : earlier.then(work, work);
      newest.set(key, added);
      try {
        return await added;
      } finally {
        if (newest.get(key) === added) newest.delete(key);
      }
    },
  };
}
