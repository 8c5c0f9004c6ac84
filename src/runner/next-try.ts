// Whether a failed attempt of a run is made again, and after which wait.
import type { EndedAttempt } from "../core/attempt.ts";
import { secondsToMs } from "../core/duration.ts";
import { type BackOff, retryWaitMs } from "../core/retry.ts";
import type { ClaimedRun, RunKind } from "../core/run.ts";

export type NextTryPolicy = {
  maxAttempts: number;
  timeoutSeconds: number;
  /** In [0, 1), so that runs that fail together do not come back together. */
  random: number;
};

/** Between six attempts about five minutes in all: from half to the whole of 4, 12, 36, 108 and 240 seconds. */
const hookBackOff: BackOff = { firstMs: 4000, factor: 3, longestMs: 240_000, half: true };

/** Shorter, because all later heartbeats wait behind it, and those may have been asked for at once. */
const heartbeatBackOff: BackOff = { ...hookBackOff, longestMs: 60_000 };

const backOffs: Readonly<Record<RunKind, BackOff>> = { hook: hookBackOff, heartbeat: heartbeatBackOff };

export const timeLimitSeconds = (run: ClaimedRun, policy: { timeoutSeconds: number }): number =>
  run.request.timeoutSeconds ?? policy.timeoutSeconds;

export type NextTry =
  | { kind: "retry"; delayMs: number }
  /** `why` explains an end that the outcome does not. */
  | { kind: "none"; why: string | null };

/**
 * The run's time bounds its work and its waits for another try together. The waits shorten no attempt: each has what is
 * left of the time for work.
 */
export function nextTry(
  run: ClaimedRun,
  { outcome, workedMs }: Pick<EndedAttempt, "outcome" | "workedMs">,
  policy: NextTryPolicy,
): NextTry {
  const mayPass = outcome.kind === "failed" && outcome.mayPass && outcome.report?.acted !== true;
  if (!mayPass || run.attempts >= policy.maxAttempts) return { kind: "none", why: null };
  const delayMs = retryWaitMs(run.attempts, outcome.retryAfterMs, backOffs[run.kind], policy.random);
  const limitSeconds = timeLimitSeconds(run, policy);
  const leftMs = secondsToMs(limitSeconds) - run.elapsedMs - run.waitedMs - workedMs;
  if (delayMs < leftMs) return { kind: "retry", delayMs };
  return { kind: "none", why: tooLate(delayMs, limitSeconds) };
}

const tooLate = (delayMs: number, limitSeconds: number): string =>
  `not tried again: with another wait of ${Math.ceil(delayMs / 1000)} seconds it would pass its time limit of ${limitSeconds} seconds`;
