// The port of mailboxes.
import type { Driver } from "../driver/program.ts";
import type { Mail } from "../ports/mail.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createMail = (driver: Driver<Programs>): Mail => ({
  claimMailbox: (claim) => driver.run("claimMailbox", claim),
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
