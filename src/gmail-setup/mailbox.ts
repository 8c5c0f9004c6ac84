// Reads what the setup needs of the mailbox: its owner, its history id, and the id of the label.
import { UsageError } from "../core/errors.ts";
import { listIn, textIn } from "../mail/gmail/request.ts";
import type { Ask } from "./ask.ts";
import { type Endpoints, gmailCalls } from "./calls.ts";
import { explained } from "./refusals.ts";

/** Resolves with the current history id. */
export async function checkAccount(ask: Ask, endpoints: Endpoints, account: string): Promise<string> {
  const doing = { what: "Reading the mailbox", project: null };
  const { emailAddress, historyId } = await explained(doing, () => ask(gmailCalls(endpoints).profile()));
  if (typeof emailAddress !== "string" || !/^\d+$/.test(String(historyId)))
    throw new UsageError("Gmail did not say whose mailbox it is. Run it again later.");
  if (emailAddress.toLowerCase() !== account.toLowerCase())
    throw new UsageError(
      `The login is of ${emailAddress}, not of ${account}. Nothing was changed. Log in with the right account: rouse gmail setup --account ${account} --new-login`,
    );
  return String(historyId);
}

/** By id or by name, because people know their labels by name. */
export async function findLabel(ask: Ask, endpoints: Endpoints, label: string): Promise<string> {
  const doing = { what: "Reading the labels", project: null };
  const response = await explained(doing, () => ask(gmailCalls(endpoints).labels()));
  const all = listIn(response, "labels").map((each) => ({
    id: textIn(each, "id"),
    name: textIn(each, "name"),
  }));
  const found =
    all.find(({ id }) => id === label) ?? all.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found) return found.id;
  const names = all.map(({ name }) => name).slice(0, 30);
  throw new UsageError(`The mailbox has no label ${label}. Those there are: ${names.join(", ")}`);
}
