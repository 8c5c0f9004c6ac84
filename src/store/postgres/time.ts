// Estimates the database's clock, so that a transaction need not read the time before its first statements.

/** For clocks that drift or are slewed between two reports. */
const mostDriftMs = 100;

/** The database reports whole milliseconds. */
const roundedMs = 0.5;

/** When a query was sent and when its result was there, by our monotonic clock. */
export type RoundTrip = { askedAt: number; answeredAt: number };

/**
 * Whether the database's clock has reported what an estimate of the time of asking leads to: a time of the round trip,
 * however long that took. Otherwise a clock was set, or this machine was suspended.
 */
export const fits = (estimate: number, databaseTime: number, { askedAt, answeredAt }: RoundTrip): boolean =>
  databaseTime >= estimate - mostDriftMs && databaseTime <= estimate + (answeredAt - askedAt) + mostDriftMs;

/**
 * The database's clock, as an offset from our monotonic one. A reported time was true at some moment between the query
 * and its result, so every report bounds the offset from below and above. The smallest upper bound is used: a time that
 * we store is then hardly ahead of the database's clock, and never behind it, where a run could end before it started.
 * A report outside of the bounds, because a clock was set or drifts, replaces them.
 */
export function createDatabaseTime() {
  let ahead: number | null = null;
  return {
    learn(databaseTime: number, { askedAt, answeredAt }: RoundTrip): void {
      const most = databaseTime + roundedMs - askedAt;
      const least = databaseTime - roundedMs - answeredAt;
      if (ahead === null || most < ahead || least > ahead) ahead = most;
    },
    estimate: (): number | null => (ahead === null ? null : Math.ceil(performance.now() + ahead)),
  };
}
