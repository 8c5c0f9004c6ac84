// Public documents that proofs need: certificates and keys. They are kept for an hour, and used for a day while they
// cannot be had. Unproven requests name them, so that only so many are fetched in a minute.
import type { Clock } from "../../core/clock.ts";

/** `maxAgeMs`: an older copy is fetched again. Rejects when there is none to be had. */
export type FindDocument = (url: string, maxAgeMs?: number) => Promise<string>;

const freshMs = 3_600_000;
const oldestMs = 86_400_000;
const mostKept = 32;
const mostInAMinute = 10;
const minuteMs = 60_000;

type Kept = { text: string; at: number };

type DocumentsOptions = {
  clock: Pick<Clock, "monotonic">;
  fetchText: (url: string) => Promise<string>;
};

export function createDocuments({ clock, fetchText }: DocumentsOptions): FindDocument {
  const kept = new Map<string, Kept>();
  const pending = new Map<string, Promise<string>>();
  let fetchedAt: number[] = [];

  function mayFetch(): boolean {
    const now = clock.monotonic();
    fetchedAt = fetchedAt.filter((at) => now - at < minuteMs);
    if (fetchedAt.length >= mostInAMinute) return false;
    fetchedAt.push(now);
    return true;
  }

  function keep(url: string, text: string): string {
    kept.delete(url);
    kept.set(url, { text, at: clock.monotonic() });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return text;
  }

  function load(url: string): Promise<string> {
    const known = pending.get(url);
    if (known !== undefined) return known;
    if (!mayFetch()) return Promise.reject(new Error("too many documents were asked for in a minute"));
    const loading = fetchText(url)
      .then((text) => keep(url, text))
      .finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  }

  return async (url, maxAgeMs = freshMs) => {
    const copy = kept.get(url);
    const ageMs = copy === undefined ? Infinity : clock.monotonic() - copy.at;
    if (copy !== undefined && ageMs < maxAgeMs) return copy.text;
    try {
      return await load(url);
    } catch (fault) {
      if (copy !== undefined && ageMs < oldestMs) return copy.text;
      throw fault;
    }
  };
}
