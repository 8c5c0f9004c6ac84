// `--since` and `--until`: how far back, as a duration or as a time.
import { parseDuration } from "../../core/duration.ts";
import { WrongUsage } from "../command.ts";

/** A duration before now, or a moment. */
export type Since = { agoMs: number } | { at: number };

const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

export function readSince(written: string, option = "--since"): Since {
  const text = written.trim();
  const agoMs = parseDuration(text);
  if (agoMs !== null && agoMs > 0) return { agoMs };
  const [, day] = isoTime.exec(text) ?? [];
  const at = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new WrongUsage(
      `${option} must be a duration such as 30m, 1h or 2d, or a time with its zone such as 2026-11-19T08:00:00Z; a day alone begins at midnight UTC.`,
    );
  return { at };
}

/** `Date.parse` takes the 31st of a shorter month for a day of the next. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

export function sinceMoment(since: Since, now: number, option = "--since"): number {
  if ("agoMs" in since) return Math.max(0, now - since.agoMs);
  if (since.at > now)
    throw new WrongUsage(
      `${option} must not be in the future: it is ${new Date(now).toISOString()} by the store's clock.`,
    );
  return since.at;
}
