// Says in the log that the store's clock was set.
import type { ClockStep } from "../core/clock-step.ts";
import type { Log } from "../core/log.ts";

export function reportClockStep(log: Log, { stepMs, moved }: ClockStep): void {
  const count = moved.runs + moved.deliveries + moved.mails;
  const fields = {
    ...(stepMs !== 0 && { durationMs: Math.abs(stepMs) }),
    count,
    reason: `${moved.runs} runs, ${moved.deliveries} deliveries, ${moved.mails} mails`,
  };
  if (stepMs > 0)
    log.info("the store's clock went forward, or this machine was suspended; leases stay valid", fields);
  else log.warn("the store's clock was set back; what waited was brought to the new time", fields);
}
