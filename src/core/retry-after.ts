// The header `Retry-After`: seconds, or a date.

/**
 * The wait in a response's `Retry-After`. A date is compared with the sender's own clock where it sent its `Date`, so
 * that ours does not matter. Zero, where the date has passed; how long is waited is decided by `core/retry.ts`.
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now: number,
): number | null {
  const theirs = Date.parse(header("date") ?? "");
  return parseRetryAfter(header("retry-after"), Number.isNaN(theirs) ? now : theirs);
}

/** `now` by the clock of the sender. Null when the header cannot be read. */
export function parseRetryAfter(written: string | null | undefined, now: number): number | null {
  const text = written?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Without a letter in it, `Date.parse` takes nearly anything for a year.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at - now) ? null : Math.max(0, at - now);
}
