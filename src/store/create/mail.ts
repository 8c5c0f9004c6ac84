// The port of mailboxes.
import type { Driver } from "../driver/program.ts";
import type { Mail } from "../ports/mail.ts";
import type { UnreadableReports } from "./unreadable.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createMail = (driver: Driver<Programs>, unreadable: UnreadableReports): Mail => ({
  async claimMailbox(claim) {
    const claimed = await driver.run("claimMailbox", claim);
    if (claimed?.reason) unreadable.add({ table: "mail_account", id: claim.id, reason: claimed.reason });
    return claimed && claimed.account;
  },
  renewMailbox: (claim) => driver.run("renewMailbox", claim),
  releaseMailbox: (claim) => driver.run("releaseMailbox", claim),
  unseenMail: (id, messageIds) => driver.run("unseenMail", { id, messageIds }),
  waitingMail: (id, limit) => driver.run("waitingMail", { id, limit }),
  commitMail: (commit) => driver.run("commitMail", commit),
  noteMail: (note) => driver.run("noteMail", note),
  noteSubscription: (id, subscription) => driver.run("noteSubscription", { id, ...subscription }),
  listMailAccounts: () => driver.run("listMailAccounts", null),
  forgetMailAccount: (id) => driver.run("forgetMailAccount", { id }),
});
