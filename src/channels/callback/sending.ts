// What every format needs to send.
export type Sending = {
  fetch: typeof fetch;
  signal: AbortSignal;
  /** The wall clock: a receiver compares the time of a signature with its own. */
  now: () => number;
};
