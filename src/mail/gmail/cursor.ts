// A position in a Gmail history. A record can become visible after later ones, and after the mailbox has reported a
// position behind it. So reading starts from a position only when this process has known it for a minute; messages that
// are listed twice because of that are known already. Neither another node's clock nor a step of ours shortens that.
import type { Clock } from "../../core/clock.ts";

export type Cursor = {
  /** Where reading starts. */
  from: string;
  /** The latest position the mailbox has reported, and when, by the clock of that node; 0 for a start. */
  reported: string;
  reportedAt: number;
};

const settleMs = 60_000;
const written = /^(\d+)(?:\/(\d+)@(\d+))?$/;

/** A bare history id is the position to start from. */
export function parseCursor(text: string): Cursor {
  const [, from = text, reported = from, at = "0"] = written.exec(text) ?? [];
  return { from, reported, reportedAt: Number(at) };
}

export const writeCursor = ({ from, reported, reportedAt }: Cursor): string =>
  `${from}/${reported}@${reportedAt}`;

export type Settling = {
  /** This process knows the cursor from now on, unless it knows it already. */
  note(written: string): void;
  /** Whether its position may be read from. */
  isSettled(written: string): boolean;
};

export function createSettling(clock: Pick<Clock, "monotonic">): Settling {
  let known = { written: "", since: 0 };
  const note = (written: string): void => {
    if (known.written !== written) known = { written, since: clock.monotonic() };
  };
  return {
    note,
    isSettled(written) {
      note(written);
      return parseCursor(written).reportedAt === 0 || clock.monotonic() - known.since >= settleMs;
    },
  };
}

export const startOf = (cursor: Cursor, isSettled: boolean): string =>
  isSettled ? cursor.reported : cursor.from;

/** The cursor after a sync that started at `startOf` and for which the mailbox reported `reported`. */
export const moveOn = (cursor: Cursor, reported: string, isSettled: boolean, now: number): Cursor =>
  isSettled ? { from: cursor.reported, reported: later(cursor.reported, reported), reportedAt: now } : cursor;

const later = (left: string, right: string): string => (isLater(left, right) ? left : right);

/** Compares history ids, which are too large for numbers. */
export const isLater = (left: string, right: string): boolean => numberOf(left) > numberOf(right);

/** Anything else, such as the cursor of another kind of mailbox, comes before every history id. */
const numberOf = (id: string): bigint => (/^\d+$/.test(id) ? BigInt(id) : -1n);

/** Whether a hint's position is newer than any that the mailbox has reported. */
export const isNewer = (position: string, cursor: string): boolean =>
  /^\d{1,20}$/.test(position) && isLater(position, parseCursor(cursor).reported);
