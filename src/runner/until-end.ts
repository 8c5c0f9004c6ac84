// Waits for the end of an agent's work: by itself, at its time limit, or because the runner stops it.
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { Outcome } from "../core/outcome.ts";
import type { LossReason } from "../work/lease.ts";

/** Why the runner stops an attempt. `released`: the gateway stops, and the run goes back to the queue. */
export type StopReason = LossReason | "released";

/** The limit for all attempts of a run, and what is left of it for this one. */
export type TimeLimit = { seconds: number; leftMs: number };

type Cancelled = Extract<Outcome, { kind: "cancelled" }>;
export type Stop = Cancelled | { kind: "released" } | { kind: "lost" };

/** The end of an attempt whose signal has fired. */
export const stopOf = (signal: AbortSignal): Stop => ({ kind: signal.reason as StopReason });

type Race = {
  /** Calls the agent. */
  start: (stop: AbortSignal) => Promise<Outcome>;
  /** Fires with a StopReason. */
  signal: AbortSignal;
  clock: Clock;
  limit: TimeLimit;
  /** Gets the agent's work if it continues after it was stopped. */
  lingers: (work: Promise<unknown>) => void;
};

/** How long a stopped agent may take to report what it has used. Real time, whatever the clock of a test. */
const reportGraceMs = 200;

export async function untilEnd({ start, signal, clock, limit, lingers }: Race): Promise<Outcome | Stop> {
  if (signal.aborted) return stopOf(signal);
  const stopAgent = new AbortController();
  const work = start(stopAgent.signal).then(
    (outcome) => ({ outcome }),
    (fault: unknown) => ({ fault }),
  );
  const stopped = await untilStopped(work, { signal, clock, limit });
  if ("outcome" in stopped) return stopped.outcome;
  if ("fault" in stopped) throw stopped.fault;
  stopAgent.abort();
  if (stopped.kind === "lost" || stopped.kind === "released") {
    lingers(work);
    return stopped;
  }
  const last = await Promise.race([work, delay(reportGraceMs, null, { ref: false })]);
  if (last === null) lingers(work);
  return last !== null && "outcome" in last ? withReport(stopped, last.outcome) : stopped;
}

type TimedOut = Extract<Outcome, { kind: "timed-out" }>;

/** The result of the work, or what stopped it first. */
async function untilStopped<T>(
  work: Promise<T>,
  { signal, clock, limit }: Pick<Race, "signal" | "clock" | "limit">,
): Promise<T | Stop | TimedOut> {
  const { promise, resolve } = Promise.withResolvers<Stop | TimedOut>();
  const onStop = () => resolve(stopOf(signal));
  const cancelTimer = clock.after(limit.leftMs, () =>
    resolve({ kind: "timed-out", afterSeconds: limit.seconds }),
  );
  if (signal.aborted) onStop();
  else signal.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onStop);
  }
}

const withReport = <T extends Outcome>(outcome: T, from: Outcome): T =>
  "report" in from && from.report ? { ...outcome, report: from.report } : outcome;
