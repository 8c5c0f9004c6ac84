// Estimates the database's clock, so that a transaction need not read the time before its first statements.

/** Longer than a round trip, much shorter than a lease. */
export const mostDifferenceMs = 500;

/** The database reports whole milliseconds. */
const roundedMs = 0.5;

/**
 * The database's clock, as an offset from our monotonic one. A reported time was true at some moment between the query
 * and its result, so every report bounds the offset from below and above. The smallest upper bound is used: a time that
 * we store is then hardly ahead of the database's clock, and never behind it, where a run could end before it started.
 * A report outside of the bounds, because a clock was set or drifts, replaces them.
 */
export function createDatabaseTime() {
  let ahead: number | null = null;
  return {
    learn(databaseTime: number, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): void {
      const most = databaseTime + roundedMs - askedAt;
      const least = databaseTime - roundedMs - answeredAt;
      if (ahead === null || most < ahead || least > ahead) ahead = most;
    },
    estimate: (): number | null => (ahead === null ? null : Math.ceil(performance.now() + ahead)),
  };
}
