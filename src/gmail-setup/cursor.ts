// Where the first look at the mailbox begins. Set once: later it moves only behind mail that was taken in.
import { newId } from "../core/id.ts";
import { type MailAccount, mailAccountId } from "../core/mail.ts";
import type { Store } from "../store/ports/store.ts";
import type { Done } from "./done.ts";

export type CursorStore = Pick<
  Store,
  "claimMailbox" | "releaseMailbox" | "commitMail" | "noteMail" | "noteSubscription" | "listMailAccounts"
>;

const leaseMs = 30_000;

export const gmailAccountId = (account: string): string => mailAccountId("gmail", account);

export async function findAccount(store: CursorStore, account: string): Promise<MailAccount | null> {
  const id = gmailAccountId(account);
  return (await store.listMailAccounts()).find((each) => each.id === id) ?? null;
}

export async function setFirstCursor(store: CursorStore, account: string, cursor: string): Promise<Done> {
  const id = gmailAccountId(account);
  const lease = newId();
  const held = await store.claimMailbox({ id, lease, leaseMs });
  // Whoever holds it looks at this moment, and sets it.
  if (held === null) return { what: "cursor", name: id, state: "there" };
  try {
    if (held.cursor !== null) return { what: "cursor", name: id, state: "there" };
    const end = { cursor, status: "ok" as const, error: null, notice: null };
    await store.commitMail({ id, lease, mails: [], end });
    return { what: "cursor", name: id, state: "made" };
  } finally {
    await store.releaseMailbox({ id, lease });
  }
}
