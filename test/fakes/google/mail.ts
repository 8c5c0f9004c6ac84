// A mail as the Gmail API shows it.
import type { Json } from "./http.ts";

export type NewMail = {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string | null;
  labels: readonly string[];
  /** Epoch milliseconds: when Gmail took it in. */
  at: number;
  attachments: readonly { name: string; type: string; bytes: number }[];
  /** Not to be seen in the history until `reveal`, although its hint has gone out. */
  hidden: boolean;
};

export type Stored = NewMail & { id: string; threadId: string; labelIds: Set<string>; historyId: bigint };

export const newMail = (id: string, fields: Partial<NewMail> & Pick<NewMail, "to" | "at">): Stored => ({
  from: "Ann <ann@mail.test>",
  subject: `Mail ${id}`,
  text: `The text of ${id}.`,
  html: null,
  labels: ["INBOX", "UNREAD"],
  attachments: [],
  hidden: false,
  ...fields,
  id,
  threadId: id,
  labelIds: new Set(fields.labels ?? ["INBOX", "UNREAD"]),
  historyId: 0n,
});

export const base64 = (text: string): string => Buffer.from(text).toString("base64url");

export function toMessage(mail: Stored, format: string): Json {
  const headers = Object.entries({ From: mail.from, To: mail.to, Subject: mail.subject }).map(
    ([name, value]) => ({
      name,
      value,
    }),
  );
  const basic = {
    id: mail.id,
    threadId: mail.threadId,
    labelIds: [...mail.labelIds],
    snippet: mail.text.slice(0, 100).replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    historyId: String(mail.historyId),
    internalDate: String(mail.at),
    sizeEstimate: 1000,
  };
  if (format === "metadata") return { ...basic, payload: { mimeType: "text/plain", headers } };
  return { ...basic, payload: { ...payloadOf(mail), headers } };
}

function payloadOf({ text, html, attachments }: Stored): Json {
  const leaf = (mimeType: string, content: string): Json => ({
    mimeType,
    filename: "",
    headers: [{ name: "Content-Type", value: `${mimeType}; charset=utf-8` }],
    body:
      content.length > 20_000
        ? { attachmentId: "long", size: content.length }
        : { size: content.length, data: base64(content) },
  });
  const plain = leaf("text/plain", text);
  const readable =
    html === null
      ? plain
      : { mimeType: "multipart/alternative", filename: "", parts: [plain, leaf("text/html", html)] };
  if (attachments.length === 0) return readable;
  const files = attachments.map(({ name, type, bytes }) => ({
    mimeType: type,
    filename: name,
    body: { attachmentId: `file-${name}`, size: bytes },
  }));
  return { mimeType: "multipart/mixed", filename: "", parts: [readable, ...files] };
}
