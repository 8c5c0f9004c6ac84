// What time it is at the database, thought out here: a transaction can then begin without having asked.

/** More than any round trip takes; far less than a lease. */
export const mostDifferenceMs = 500;

/** It is told in whole milliseconds. */
const roundedMs = 0.5;

/**
 * The database's time by our own steady clock. What it said was true at some moment between our question and its
 * answer, so each time it says it, we know the least and the most that it can be ahead of us. We take the most, as the
 * quickest answer had it: then a moment we store is hardly ahead of the database's own time, and not behind it, where
 * a run could end before it began. An answer that does not agree, since a clock was set or runs faster, counts alone.
 */
export function createDatabaseTime() {
  let ahead: number | null = null;
  return {
    learn(databaseTime: number, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): void {
      const most = databaseTime + roundedMs - askedAt;
      const least = databaseTime - roundedMs - answeredAt;
      if (ahead === null || most < ahead || least > ahead) ahead = most;
    },
    thought: (): number | null => (ahead === null ? null : Math.ceil(performance.now() + ahead)),
  };
}
