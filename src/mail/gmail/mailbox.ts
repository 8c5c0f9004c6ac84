// A Gmail mailbox. The cursor is a position in its history; labels are checked again when a message is read.
import type { GmailConfig } from "../../config/config.ts";
import { orStopped } from "../../core/abort.ts";
import type { Clock } from "../../core/clock.ts";
import { type Fetched, type Mailbox, MailFault } from "../mailbox.ts";
import type { GmailApi } from "./api.ts";
import { createSettling, moveOn, parseCursor, startOf, writeCursor } from "./cursor.ts";
import { createMailReader } from "../reader.ts";
import { readMessage } from "./message.ts";
import { textIn, textsIn } from "./request.ts";

export type GmailMailbox = Mailbox & {
  /** The id of the configured label. */
  labelId(signal: AbortSignal): Promise<string>;
};

/** An older mail that comes under the label now is not new, and its id may have been forgotten by the store. */
const oldestMailMs = 365 * 86_400_000;
const builtIn = /^(?:INBOX|SPAM|TRASH|UNREAD|STARRED|IMPORTANT|SENT|DRAFT|CHAT|CATEGORY_[A-Z]+|Label_\w+)$/;
/** Of the history since the last sync, of 500 records each. */
const mostHistoryPages = 1000;
/** Messages that are left out are counted, up to this many pages. */
const mostCountedPages = 20;

type Options = {
  config: Pick<GmailConfig, "account" | "label" | "excludeLabels" | "includeBody" | "maxBytes">;
  api: GmailApi;
  clock: Clock;
};

export function createGmailMailbox({ config, api, clock }: Options): GmailMailbox {
  const { account, label } = config;
  const settling = createSettling(clock);
  const reader = createMailReader();
  let known: string | null = builtIn.test(label) ? label : null;

  async function labelId(signal: AbortSignal): Promise<string> {
    if (known !== null) return known;
    const labels = await api.labels(signal);
    const same = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
    if (!same) throw new MailFault("broken", "the mailbox has no label of the name in hooks.gmail.label");
    return (known = same.id);
  }

  async function baseline(signal: AbortSignal): Promise<string> {
    const { emailAddress, historyId } = await api.profile(signal);
    if (emailAddress.toLowerCase() !== account.toLowerCase())
      throw new MailFault("reauth", "the login is for another account than hooks.gmail.account");
    return historyId;
  }

  /** Newest first; `beyond`: how many more there are, or null when there are too many to count. */
  async function listAll(query: string, most: number, signal: AbortSignal) {
    const ids: string[] = [];
    let page = "";
    for (let pages = 0; pages < mostCountedPages + most / 500; pages++) {
      const found = await api.list({ labelId: await labelId(signal), query, page }, signal);
      for (const id of found.ids) ids.push(id);
      page = found.nextPage;
      if (page === "") break;
    }
    return { ids: ids.slice(0, most), beyond: page === "" ? Math.max(0, ids.length - most) : null };
  }

  return {
    account,
    labelId,
    baseline,
    async changes(written, signal) {
      const cursor = parseCursor(written);
      // No cursor that we wrote: the mail since the last sync is listed instead.
      if (!/^\d+$/.test(cursor.from)) return { kind: "expired" };
      const isSettled = settling.isSettled(written);
      const ids = new Set<string>();
      for (let page = "", pages = 1; ; pages++) {
        if (pages > mostHistoryPages) throw new MailFault("broken", "Google's history does not end");
        const found = await api.history(startOf(cursor, isSettled), await labelId(signal), page, signal);
        if (found === null) return { kind: "expired" };
        for (const id of found.ids) ids.add(id);
        page = found.nextPage;
        if (page !== "") continue;
        const next = writeCursor(moveOn(cursor, found.historyId, isSettled, clock.now()));
        settling.note(next);
        return { kind: "changes", ids: [...ids], cursor: next };
      }
    },
    /** The cursor is read first: mail that arrives during the listing is found again behind it. */
    async catchUp(since, { maxAgeMs, maxMessages }, signal) {
      const cursor = await baseline(signal);
      const oldest = clock.now() - maxAgeMs;
      const from = Math.max(since ?? oldest, oldest);
      const found = await listAll(`after:${seconds(from)}`, maxMessages, signal);
      const older =
        since !== null && since < oldest
          ? await listAll(`after:${seconds(since)} before:${seconds(oldest)}`, 0, signal)
          : { beyond: 0 };
      const skipped = found.beyond === null || older.beyond === null ? null : found.beyond + older.beyond;
      return { ids: found.ids.toReversed(), cursor, skipped };
    },
    async fetch(id, signal): Promise<Fetched> {
      const { includeBody, maxBytes } = config;
      const message = await api.message(id, includeBody ? "full" : "metadata", signal);
      if (message === null) return { kind: "gone" };
      const labels = textsIn(message, "labelIds");
      const wanted = await labelId(signal);
      const excluded = config.excludeLabels.some((each) => each !== wanted && labels.includes(each));
      const isOld = Number(textIn(message, "internalDate")) < clock.now() - oldestMailMs;
      if (excluded || isOld || !labels.includes(wanted)) return { kind: "excluded" };
      const load = (attachmentId: string) => api.attachment(id, attachmentId, signal);
      const wantedParts = { includeBody, maxBytes, load, readHtml: reader.html };
      return { kind: "mail", mail: await orStopped(readMessage(message, wantedParts), signal) };
    },
  };
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
