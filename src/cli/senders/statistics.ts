// How the calls of a sender went, in words: last call, last success, failures by class, clock skew.
import { shortTime } from "../../api/resources.ts";
import type { CallCount, SenderRecord } from "../../core/sender.ts";

export type CallSummary = {
  lastCallAt: number | null;
  lastSuccessAt: number | null;
  /** Failures by class. */
  failures: Readonly<Record<string, number>>;
  /** How far the sender's clock was from ours at its last call that named a time. */
  skewMs: number | null;
};

const proven = "proven";

/** Null: nothing is known of it. */
export function summaryOf(statistics: SenderRecord | undefined): CallSummary | null {
  if (statistics === undefined) return null;
  const { calls } = statistics;
  const failed = calls.filter(({ result }) => result !== proven);
  return {
    lastCallAt: latest(calls)?.lastAt ?? null,
    lastSuccessAt: latest(calls.filter(({ result }) => result === proven))?.lastAt ?? null,
    failures: Object.fromEntries(failed.map(({ result, calls: count }) => [result, count])),
    skewMs: latest(calls.filter(({ skewMs }) => skewMs !== null))?.skewMs ?? null,
  };
}

function latest(calls: readonly CallCount[]): CallCount | undefined {
  return calls.reduce<CallCount | undefined>(
    (last, each) => (last === undefined || each.lastAt > last.lastAt ? each : last),
    undefined,
  );
}

export const timeWords = (at: number | null | undefined): string =>
  (at == null ? null : shortTime(new Date(at).toISOString())) ?? "-";

export function failureWords(summary: CallSummary | null): string {
  const found = Object.entries(summary?.failures ?? {});
  return found.length === 0 ? "-" : found.map(([result, count]) => `${count} ${result}`).join(", ");
}

/** `12 s behind`, when the sender's clock is more than a second off. */
export function skewWords(skewMs: number | null): string {
  if (skewMs === null) return "-";
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return seconds === 0 ? "right" : `${seconds} s ${skewMs < 0 ? "behind" : "ahead"}`;
}
