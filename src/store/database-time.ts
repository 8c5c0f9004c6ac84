// What time it is at the database, thought out here: a transaction can then begin without having asked.

/** More than any round trip takes; far less than a lease. */
export const mostDifferenceMs = 500;

/**
 * The database's time by our own steady clock. It is never behind: what the database said was true after we asked, and
 * is counted from when we asked.
 */
export function createDatabaseTime() {
  let ahead: number | null = null;
  return {
    learn(databaseTime: number, askedAt: number): void {
      ahead = databaseTime - askedAt;
    },
    thought: (): number | null => (ahead === null ? null : Math.ceil(performance.now() + ahead)),
  };
}
