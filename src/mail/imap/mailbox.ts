// A mailbox over IMAP. UIDs only grow, so new messages are those above the last UID that was read.
import type { ImapFlow, SearchObject } from "imapflow";
import type { MailAccountConfig } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { CatchUp, Changes, Mailbox } from "../mailbox.ts";
import { createConnection, type Opened } from "./connection.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { keyOf } from "./identity.ts";
import { type Listed, list, listThese, search } from "./listing.ts";
import { createMailReader } from "../reader.ts";
import { readMessage } from "./read.ts";
import { idle } from "./idle.ts";

export type ImapMailbox = Mailbox & {
  /** Calls `onHint` when there may be something new, until the signal. Rejects only when the login is refused. */
  idle(onHint: () => void, signal: AbortSignal): Promise<void>;
  /** Closes the connection; a later call would open another. */
  close(): void;
};

const dayMs = 86_400_000;
const mostLocations = 20_000;

export function createImapMailbox(
  config: MailAccountConfig,
  { clock, random = Math.random }: { clock: Clock; random?: () => number },
): ImapMailbox {
  const account = config.id;
  const connection = createConnection(config);
  const reader = createMailReader();
  /** Where messages were last seen, by id; others are searched for. */
  const locations = new Map<string, { uidValidity: string; uid: number }>();

  function remember(listed: readonly Listed[], { mailbox }: Opened): string[] {
    if (locations.size + listed.length > mostLocations) locations.clear();
    const uidValidity = validityOf(mailbox);
    const ids = new Set<string>();
    for (const { id, uid } of listed) {
      if (!ids.has(id)) locations.set(id, { uidValidity, uid });
      ids.add(id);
    }
    return [...ids];
  }

  async function locate(id: string, { client, mailbox }: Opened): Promise<number | null> {
    const location = locations.get(id);
    if (location?.uidValidity === validityOf(mailbox)) return location.uid;
    const found = await find(client, account, id, clock.now());
    return found?.uid ?? null;
  }

  return {
    account,
    baseline: (signal) => connection.use(async (opened) => formatCursor(await endOf(opened)), signal, true),

    changes: (written, signal) =>
      connection.use(
        async (opened): Promise<Changes> => {
          const cursor = parseCursor(written);
          const uidValidity = validityOf(opened.mailbox);
          if (cursor?.uidValidity !== uidValidity) return { kind: "expired" };
          if (opened.mailbox.uidNext === cursor.uid + 1) return { kind: "changes", ids: [], cursor: written };
          const above = await list(opened.client, account, `${cursor.uid + 1}:*`);
          // `*` is the last message, even when its UID is below the first of the range.
          const listed = above.filter(({ uid }) => uid > cursor.uid);
          const uid = listed.at(-1)?.uid ?? cursor.uid;
          return {
            kind: "changes",
            ids: remember(listed, opened),
            cursor: formatCursor({ uidValidity, uid }),
          };
        },
        signal,
        true,
      ),

    catchUp: (since, { maxAgeMs, maxMessages }, signal) =>
      connection.use(
        async (opened): Promise<CatchUp> => {
          const cursor = formatCursor(await endOf(opened));
          const oldest = clock.now() - maxAgeMs;
          const from = Math.floor((since ?? oldest) / 1000) * 1000;
          const uids = await search(opened.client, datesFrom(from, clock.now()));
          const all = await listThese(opened.client, account, uids);
          const candidates = all.filter(({ date }) => date >= from);
          const kept = candidates.filter(({ date }) => date >= oldest).slice(-maxMessages);
          return { ids: remember(kept, opened), cursor, skipped: candidates.length - kept.length };
        },
        signal,
        true,
      ),

    fetch: (id, signal) =>
      connection.use(async (opened) => {
        const uid = await locate(id, opened);
        return uid === null
          ? { kind: "gone" }
          : readMessage({ client: opened.client, reader }, id, uid, config);
      }, signal),

    idle: (onHint, signal) => idle({ connection, clock, random }, onHint, signal),
    close() {
      connection.drop();
      void reader.close();
    },
  };
}

const validityOf = ({ uidValidity }: Opened["mailbox"]): string => String(uidValidity);

/** The position behind everything in the mailbox. */
async function endOf({ client, mailbox }: Opened) {
  const uidValidity = validityOf(mailbox);
  if (mailbox.uidNext > 0) return { uidValidity, uid: mailbox.uidNext - 1 };
  const last = mailbox.exists > 0 ? (await search(client, { all: true })).at(-1) : 0;
  return { uidValidity, uid: last ?? 0 };
}

/**
 * IMAP searches by whole days, in the server's time zone, so a day is added on both sides. The client may turn dates
 * into seconds before now, which must be positive: no end is set that is not past.
 */
function datesFrom(from: number, now: number, to = Number.POSITIVE_INFINITY): SearchObject {
  const since = new Date(Math.min(from, now) - dayMs);
  return to + 2 * dayMs < now ? { since, before: new Date(to + 2 * dayMs) } : { since };
}

async function find(client: ImapFlow, account: string, id: string, now: number): Promise<Listed | undefined> {
  const key = keyOf(account, id);
  if (key === null) return undefined;
  const criteria = key.kind === "email-id" ? { emailId: key.emailId } : datesFrom(key.date, now, key.date);
  const listed = await listThese(client, account, await search(client, criteria));
  return listed.find((each) => each.id === id);
}
