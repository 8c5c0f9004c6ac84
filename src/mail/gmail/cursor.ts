// Where reading a Gmail history stops and begins again. A record can become visible after others that came later, and
// after the mailbox has reported a position behind it; so a position is begun at only when it is a minute old, and
// what is met twice by that is known already.

export type Cursor = {
  /** Where a look begins. */
  from: string;
  /** What the mailbox has reported since, and when. */
  reported: string;
  reportedAt: number;
};

const settleMs = 60_000;
const written = /^(\d+)(?:\/(\d+)@(\d+))?$/;

/** A bare history id is one to begin at. */
export function parseCursor(text: string): Cursor {
  const [, from = text, reported = from, at = "0"] = written.exec(text) ?? [];
  return { from, reported, reportedAt: Number(at) };
}

export const writeCursor = ({ from, reported, reportedAt }: Cursor): string =>
  `${from}/${reported}@${reportedAt}`;

const isSettled = ({ reportedAt }: Cursor, now: number): boolean => Math.abs(now - reportedAt) >= settleMs;

export const startOf = (cursor: Cursor, now: number): string =>
  isSettled(cursor, now) ? cursor.reported : cursor.from;

/** After a look that began at `startOf` and was told `reported`. */
export const moveOn = (cursor: Cursor, reported: string, now: number): Cursor =>
  isSettled(cursor, now)
    ? { from: cursor.reported, reported: later(cursor.reported, reported), reportedAt: now }
    : cursor;

const later = (left: string, right: string): string => (isLater(left, right) ? left : right);

/** Of two history ids, which are too large for numbers. */
export const isLater = (left: string, right: string): boolean => numberOf(left) > numberOf(right);

/** What is no history id, such as the cursor of another kind of mailbox, is before all that are. */
const numberOf = (id: string): bigint => (/^\d+$/.test(id) ? BigInt(id) : -1n);

/** Whether a hint speaks of something behind all that the mailbox has reported. */
export const isNewer = (position: string, cursor: string): boolean =>
  /^\d{1,20}$/.test(position) && isLater(position, parseCursor(cursor).reported);
