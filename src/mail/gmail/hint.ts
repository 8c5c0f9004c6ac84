// A Pub/Sub message of Gmail: which mailbox changed, and how far its history has come.
import { type Fields, isFields, textIn } from "./request.ts";

export type Hint = { emailAddress: string; historyId: string };

/** Null when Gmail did not send it. */
export function readHint(message: Fields): Hint | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(textIn(message, "data"), "base64").toString("utf8"));
    if (!isFields(value)) return null;
    const written = value["historyId"];
    const historyId = typeof written === "number" ? String(written) : textIn(value, "historyId");
    const emailAddress = textIn(value, "emailAddress").toLowerCase();
    return /^\d{1,20}$/.test(historyId) ? { emailAddress, historyId } : null;
  } catch {
    return null;
  }
}
