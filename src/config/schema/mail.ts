// `hooks.mail`: mailboxes that are read over IMAP.
import { z } from "zod";
import { secret, seconds, text, wholeNumber } from "./field.ts";

const accountId = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be a name of at most 40 letters, digits and dashes, such as \"support\"");

export const mailBodyBytes = () =>
  wholeNumber(1, 1_000_000).default(20_000).describe("The longest body, in bytes of its text; more is cut off.");

/** The bounds of a catch-up after the provider has lost the cursor. */
export const mailCatchUp = () =>
  z
    .strictObject({
      maxAgeHours: wholeNumber(1, 8760).default(168).describe("Older mail is left out."),
      maxMessages: wholeNumber(1, 10_000).default(500).describe("The most messages; older ones are left out."),
    })
    .prefault({})
    .describe("How far back to read when the mailbox was renumbered or its history is gone.");

const account = z.strictObject({
  id: accountId.describe("The account's name here, as `account` in the payload."),
  host: text().describe("The IMAP server."),
  port: wholeNumber(1, 65_535).describe("Left out: 993, or 143 when `secure` is false.").optional(),
  secure: z
    .boolean()
    .default(true)
    .describe("TLS from the first byte. False: STARTTLS, which the server must then offer."),
  allowInsecure: z
    .boolean()
    .default(false)
    .describe("With `secure` false: no encryption at all. Only for a server on this machine."),
  user: text().describe("The name to log in with, often the whole address."),
  password: secret("Its password; an app password where the provider has them.").optional(),
  accessToken: secret("Instead of the password: an OAuth 2 access token, kept fresh in a file by another program.")
    .optional(),
  mailbox: text().default("INBOX").describe("The folder to watch. It is opened read-only."),
  pollSeconds: seconds(86_400, 5)
    .default(60)
    .describe("How often to sync, besides the server's own hints (IDLE)."),
  includeBody: z.boolean().default(true).describe("Whether the text of a mail is in the payload, beside its snippet."),
  maxBytes: mailBodyBytes(),
  catchUp: mailCatchUp(),
});

export const mail = z
  .array(account)
  .default([])
  .describe("Mailboxes to watch over IMAP: new mail goes to the hook `gmail`, with `source` \"imap\".");
