// When one account is synced. What a sync does is in `sync.ts`.
//
//   resting ──hint, timer──▶ syncing ──done──▶ resting (until the next poll, or 2, 5, 15 s after a hint)
//                              ├──another node syncs──▶ resting (shortly, when a sync was requested)
//                              ├──fault──▶ backing off ──timer──▶ syncing
//                              └──login refused──▶ parked, until an account with other settings replaces this one
import { mailAccountId } from "../core/mail.ts";
import { LeaseLost } from "./commits.ts";
import { createFollowUp } from "./follow-up.ts";
import { createHealth, type FailedSync } from "./health.ts";
import type { MailScheduleOptions } from "./options.ts";
import { createSync, type SyncResult } from "./sync.ts";

export type { MailPayload, MailScheduleOptions, MailStore, Renewal } from "./options.ts";

export type MailSchedule = {
  start(): void;
  /** There may be new mail; `position` is how far the mailbox has come, where the provider says so. */
  hint(position?: string): void;
  /** Hints do not come by way of this part, or (null) they come again: the account is degraded meanwhile. */
  setProblem(part: string, message: string | null): void;
  /** One sync, for tests and commands, in place of `start`. Never rejects. */
  tick(): Promise<Outcome["kind"]>;
  /** Resolves when no sync is running any more. */
  stop(): Promise<void>;
};

type Outcome = SyncResult | FailedSync;

const retryBusyMs = 1000;

export function createMailSchedule(options: MailScheduleOptions): MailSchedule {
  const { source, mailbox, clock, log, pollMs, withoutHintsMs = pollMs, random = Math.random } = options;
  const id = mailAccountId(source, mailbox.account);
  const health = createHealth({ ...options, id });
  const sync = createSync({ ...options, id, health });
  const followUp = createFollowUp(options.isNewer);
  const stopping = new AbortController();
  let state: "new" | "running" | "parked" | "stopped" = "new";
  let syncing: Promise<void> | null = null;
  let cancelTimer = (): void => {};
  /** True at the start, too: an earlier process may have taken a hint and died before its sync. */
  let isRequested = true;

  async function syncOnce(): Promise<Outcome> {
    const wasRequested = isRequested;
    isRequested = false;
    const outcome = await outcomeOf(sync(stopping.signal));
    // The node that has the mailbox may be dead: the request stands until some node has synced.
    if (outcome.kind === "busy") isRequested ||= wasRequested;
    if (outcome.kind === "done") {
      health.syncSucceeded();
      followUp.synced(outcome.cursorBefore);
    }
    return outcome;
  }

  async function outcomeOf(running: Promise<SyncResult>): Promise<Outcome> {
    try {
      return await running;
    } catch (fault) {
      if (stopping.signal.aborted) return { kind: "failed", retryInMs: 0 };
      return fault instanceof LeaseLost ? { kind: "busy" } : health.syncFailed(fault);
    }
  }

  const untilPollMs = (): number => (health.hasProblem() ? withoutHintsMs : pollMs) * (0.9 + 0.2 * random());

  /** Null: for ever. */
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

  function run(): void {
    if (state !== "running" || syncing) return;
    cancelTimer();
    syncing = syncOnce().then((outcome) => {
      syncing = null;
      if (state !== "running") return;
      const restMs = restMsAfter(outcome);
      if (restMs === null) state = "parked";
      else if (restMs === 0) run();
      else cancelTimer = clock.after(restMs, run);
    });
  }

  /** Syncs at once, or after the sync that is running; while syncs fail, only the timer starts one. */
  function request(): void {
    isRequested = true;
    if (!health.isBackingOff()) run();
  }

  return {
    start() {
      if (state !== "new") return;
      state = "running";
      run();
    },
    hint(position) {
      if (position !== undefined) followUp.hint(position);
      request();
    },
    setProblem(part, message) {
      if (!health.setProblem(part, message)) return;
      if (message !== null) {
        const fields = { account: mailbox.account, reason: message };
        log.warn("hints of new mail do not come; the mailbox is polled", fields);
      }
      // The end of a sync stores the status; one that is running may have stored the old one already.
      request();
    },
    tick: async () => (await syncOnce()).kind,
    async stop() {
      state = "stopped";
      cancelTimer();
      stopping.abort();
      await syncing;
    },
  };
}
