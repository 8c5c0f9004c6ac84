// A stored row that cannot be read: damaged, or written by a version with another form. It is set aside with its reason, so
// that what is behind it goes on; the row itself is kept as it is.

export const unreadableTables = [
  "run",
  "event",
  "delivery",
  "turn",
  "idempotency",
  "mail_account",
  "setting",
] as const;

export type UnreadableRow = {
  table: (typeof unreadableTables)[number];
  id: string;
  /** A sentence part, without the row's own text: `its column request is no JSON`. */
  reason: string;
};
