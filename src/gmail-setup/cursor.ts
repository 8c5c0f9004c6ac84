// Sets the first cursor of a mailbox. Later only stored mail moves it.
import { newId } from "../core/id.ts";
import { type MailAccount, mailAccountId } from "../core/mail.ts";
import type { Store } from "../store/ports/store.ts";
import type { Step } from "./step.ts";

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

export async function setFirstCursor(store: CursorStore, account: string, cursor: string): Promise<Step> {
  const id = gmailAccountId(account);
  const lease = newId();
  const held = await store.claimMailbox({ id, lease, leaseMs });
  // A gateway is syncing the mailbox right now, and sets the cursor.
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
