// A clock that was set: what the store found and brought to the new time.

/** What waited and was moved, by its kind. */
export type Moved = { runs: number; deliveries: number; mails: number };

/** `stepMs` below 0: the clock was set back. 0: by an unknown time, before this process opened the store. */
export type ClockStep = { stepMs: number; moved: Moved };

export const nothingMoved: Moved = { runs: 0, deliveries: 0, mails: 0 };
