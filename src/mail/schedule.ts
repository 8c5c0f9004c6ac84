// The mail watch of one account: when to look for new mail. What a look does is in `engine-sync.ts`.
//
//   resting ──hint, timer──▶ looking ──done──▶ resting (until the next poll, or 2, 5, 15 s after a hint)
//                              ├──another node looks──▶ resting (shortly, when there was a hint)
//                              ├──fault──▶ backing off ──timer──▶ looking
//                              └──reauth──▶ parked, until this watch is replaced by one with other settings
import { faultKind } from "../core/errors.ts";
import { mailAccountId } from "../core/mail.ts";
import { backOffMs } from "../core/retry.ts";
import type { MailScheduleOptions } from "./options.ts";
import { createSync, LeaseLost } from "./sync.ts";
import { reauthNotice } from "./notices.ts";
import { MailFault } from "./mailbox.ts";

export type { MailPayload, MailStore, MailScheduleOptions, Renewal } from "./options.ts";

export type MailSchedule = {
  start(): void;
  /** There may be new mail; `position` is what the provider said, if it said where. */
  hint(position?: string): void;
  /** Something beside the looks is wrong, or (null) no longer: the account counts as degraded while it is. */
  trouble(part: string, message: string | null): void;
  /** One look, for tests and commands, in place of `start`. Never rejects. */
  tick(): Promise<"done" | "busy" | "failed" | "parked">;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
};

type Looked = {
  outcome: "done" | "busy" | "failed" | "parked";
  /** How long to rest; null: for ever. */
  restMs: number | null;
};

const lookAgainMs = [2000, 5000, 15_000];
const busyMs = 1000;
const faultBackOff = { firstMs: 1000, longestMs: 300_000 };

export function createMailSchedule(options: MailScheduleOptions): MailSchedule {
  const { source, mailbox, store, clock, log, pollMs, withoutHintsMs = pollMs } = options;
  const { isNewer = () => false, random = Math.random } = options;
  const id = mailAccountId(source, mailbox.account);
  const troubles = new Map<string, string>();
  const sync = createSync({ ...options, id, troubles });
  const fields = { account: mailbox.account };
  const stopping = new AbortController();
  let state: "new" | "going" | "parked" | "stopped" = "new";
  let looking: Promise<unknown> | null = null;
  /**
   * There was a hint, or news of trouble, that no look has followed yet; or this watch has only begun, perhaps because
   * one that had taken a hint ended before its look.
   */
  let asked = true;
  let failures = 0;
  let hinted: string | null = null;
  /** Where the first look after that hint began, or the one that was under way. */
  let hintedFrom: string | null = null;
  let looks = 0;
  let takeBack = (): void => {};

  async function look(): Promise<Looked> {
    const wasAsked = asked;
    asked = false;
    try {
      const synced = await sync(stopping.signal);
      if (synced.kind === "busy") return busy(wasAsked);
      if (failures > 0) log.info("mail can be read again", { ...fields, count: failures });
      failures = 0;
      hintedFrom ??= synced.cursorBefore;
      return { outcome: "done", restMs: asked ? 0 : restAfterHint() };
    } catch (fault) {
      if (stopping.signal.aborted) return { outcome: "failed", restMs: null };
      if (fault instanceof LeaseLost) return busy(wasAsked);
      return afterFault(fault);
    }
  }

  /** Another node looks, or one that died while it did: what was asked for is asked for again, until one has looked. */
  function busy(wasAsked: boolean): Looked {
    asked ||= wasAsked;
    return { outcome: "busy", restMs: asked ? busyMs : restMs() };
  }

  async function afterFault(fault: unknown): Promise<Looked> {
    const isReauth = fault instanceof MailFault && fault.kind === "reauth";
    const reason = fault instanceof MailFault ? fault.message : faultKind(fault);
    if (isReauth) log.error("mail can no longer be read: a new login is needed", { ...fields, reason });
    else if (failures === 0) log.warn("mail cannot be read now", { ...fields, reason });
    failures++;
    const notice = isReauth ? reauthNotice(options, reason) : null;
    const status = isReauth ? "needs-reauth" : "degraded";
    await store.noteMail({ id, status, error: reason, notice }).catch(() => {});
    if (isReauth) return { outcome: "parked", restMs: null };
    const askedMs = fault instanceof MailFault ? (fault.retryAfterMs ?? 0) : 0;
    return { outcome: "failed", restMs: Math.max(askedMs, backOffMs(failures, faultBackOff, random())) };
  }

  /** After a hint there may be more than was visible yet: it is looked for three times, then left to the polls. */
  function restAfterHint(): number {
    const isNews = hinted !== null && hintedFrom !== null && isNewer(hinted, hintedFrom);
    if (looks === 0 && !isNews) hinted = null;
    const soon = hinted === null ? undefined : lookAgainMs[looks++];
    if (soon === undefined) hinted = null;
    return Math.min(soon ?? Infinity, restMs());
  }

  /** While hints do not come, looks come more often. */
  const restMs = (): number => (troubles.size > 0 ? withoutHintsMs : pollMs) * (0.9 + 0.2 * random());

  function pump(): void {
    if (state !== "going" || looking) return;
    takeBack();
    looking = look().then((looked) => {
      looking = null;
      if (state !== "going") return;
      if (looked.restMs === null) state = "parked";
      else if (looked.restMs === 0) pump();
      else takeBack = clock.after(looked.restMs, pump);
    });
  }

  return {
    start() {
      if (state !== "new") return;
      state = "going";
      pump();
    },
    hint(position) {
      if (position !== undefined && (hinted === null || isNewer(position, hinted))) {
        hinted = position;
        hintedFrom = null;
        looks = 0;
      }
      asked = true;
      // While backing off, only the timer looks.
      if (failures === 0) pump();
    },
    trouble(part, message) {
      if (troubles.get(part) === (message ?? undefined)) return;
      if (message === null) troubles.delete(part);
      else {
        troubles.set(part, message);
        log.warn("hints of new mail do not come; it is looked for at intervals", {
          ...fields,
          reason: message,
        });
      }
      // A look's end says how the account is doing; one that is under way may have said so already.
      asked = true;
      if (failures === 0) pump();
    },
    tick: async () => (await look()).outcome,
    async stop() {
      state = "stopped";
      takeBack();
      stopping.abort();
      await looking;
    },
  };
}
