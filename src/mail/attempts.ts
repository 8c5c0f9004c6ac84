// Attempts to sync an account, one after another: the result of each, and the rest until the next.
import { LeaseLost } from "./commits.ts";
import { createFollowUp } from "./follow-up.ts";
import { createHealth, type FailedSync, type Health } from "./health.ts";
import type { MailScheduleOptions } from "./options.ts";
import { createSync, type SyncResult } from "./sync.ts";

export type Outcome = SyncResult | FailedSync;

export type SyncAttempts = {
  /** Never rejects. `restMs`: null means no further attempt. */
  next(): Promise<{ outcome: Outcome["kind"]; restMs: number | null }>;
  /** The attempt after this is not only a poll: it is repeated soon when another node syncs meanwhile. */
  request(): void;
  /** A hint with the position that the mailbox has reached. */
  hint(position: string): void;
  setProblem: Health["setProblem"];
  isBackingOff: Health["isBackingOff"];
};

const retryBusyMs = 1000;

export function createSyncAttempts(
  options: MailScheduleOptions & { id: string; signal: AbortSignal },
): SyncAttempts {
  const { signal, pollMs, withoutHintsMs = pollMs, random = Math.random } = options;
  const health = createHealth(options);
  const sync = createSync({ ...options, health });
  const followUp = createFollowUp(options.isNewer);
  /** True at the start, too: an earlier process may have taken a hint and died before its sync. */
  let isRequested = true;

  async function attempt(): Promise<Outcome> {
    try {
      return await sync(signal);
    } catch (fault) {
      if (signal.aborted) return { kind: "failed", retryInMs: 0 };
      return fault instanceof LeaseLost ? { kind: "busy" } : health.syncFailed(fault, null);
    }
  }

  const untilPollMs = (): number => (health.hasProblem() ? withoutHintsMs : pollMs) * (0.9 + 0.2 * random());

  function restMsAfter(outcome: Outcome): number | null {
    switch (outcome.kind) {
      case "busy":
        return isRequested ? retryBusyMs : untilPollMs();
      case "done":
        return isRequested ? 0 : Math.min(followUp.nextMs() ?? Infinity, untilPollMs());
      case "failed":
        return outcome.retryInMs;
      case "parked":
        return null;
    }
  }

  return {
    async next() {
      const wasRequested = isRequested;
      isRequested = false;
      const outcome = await attempt();
      // The node with the lease may be dead, so the request is kept until a node has synced.
      if (outcome.kind === "busy") isRequested ||= wasRequested;
      if (outcome.kind === "done") {
        health.syncSucceeded();
        followUp.synced(outcome.cursorBefore);
      }
      return { outcome: outcome.kind, restMs: restMsAfter(outcome) };
    },
    request: () => void (isRequested = true),
    hint: followUp.hint,
    setProblem: health.setProblem,
    isBackingOff: health.isBackingOff,
  };
}
