// `since` and `until` of a list: a time with its zone, or how long ago.
import { parseDuration } from "../../core/duration.ts";

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/** Null when it is neither. */
export function momentOf(written: string, now: number): number | null {
  const text = written.trim();
  const agoMs = parseDuration(text);
  if (agoMs !== null) return Math.max(0, now - agoMs);
  const at = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
