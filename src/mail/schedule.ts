// When one account is synced. What a sync does is in `sync.ts`.
//
//   resting ──hint, timer──▶ syncing ──done──▶ resting (until the next poll, or 2, 5, 15 s after a hint)
//                              ├──another node syncs──▶ resting (shortly, when a sync was requested)
//                              ├──fault──▶ backing off ──timer──▶ syncing
//                              └──login refused──▶ parked, until an account with other settings replaces this one
import { mailAccountId } from "../core/mail.ts";
import { createSyncAttempts, type Outcome } from "./attempts.ts";
import type { MailScheduleOptions } from "./options.ts";

export type { MailPayload, MailScheduleOptions, MailStore, Renewal } from "./options.ts";

export type MailSchedule = {
  start(): void;
  /** There may be new mail; `position` is how far the mailbox has come, where the provider says so. */
  hint(position?: string): void;
  /** Hints of this part fail (null: they work again); meanwhile the account is degraded. */
  setProblem(part: string, message: string | null): void;
  /** One sync, for tests and commands, in place of `start`. Never rejects. */
  tick(): Promise<Outcome["kind"]>;
  /** Resolves when no sync runs. */
  stop(): Promise<void>;
};

export function createMailSchedule(options: MailScheduleOptions): MailSchedule {
  const { source, mailbox, clock, log } = options;
  const stopping = new AbortController();
  const id = mailAccountId(source, mailbox.account);
  const attempts = createSyncAttempts({ ...options, id, signal: stopping.signal });
  let state: "new" | "running" | "parked" | "stopped" = "new";
  let syncing: Promise<void> | null = null;
  let cancelTimer = (): void => {};

  function run(): void {
    if (state !== "running" || syncing) return;
    cancelTimer();
    syncing = attempts.next().then(({ restMs }) => {
      syncing = null;
      if (state !== "running") return;
      if (restMs === null) state = "parked";
      else if (restMs === 0) run();
      else cancelTimer = clock.after(restMs, run);
    });
  }

  /** Syncs at once, or after the sync that is running; while syncs fail, only the timer starts one. */
  function request(): void {
    attempts.request();
    if (!attempts.isBackingOff()) run();
  }

  return {
    start() {
      if (state !== "new") return;
      state = "running";
      run();
    },
    hint(position) {
      if (position !== undefined) attempts.hint(position);
      request();
    },
    setProblem(part, message) {
      if (!attempts.setProblem(part, message)) return;
      if (message !== null) {
        const fields = { account: mailbox.account, reason: message };
        log.warn("hints of new mail do not come; the mailbox is polled", fields);
      }
      // The end of a sync stores the status; one that is running may have stored the old one already.
      request();
    },
    tick: async () => (await attempts.next()).outcome,
    async stop() {
      state = "stopped";
      cancelTimer();
      stopping.abort();
      await syncing;
    },
  };
}
