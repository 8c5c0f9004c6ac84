// A parsed mail, and its text cut to size. What parses it is `parse.ts`, in a thread of its own (`reader.ts`).
import { cutWithMark, oneLine } from "../core/text.ts";

export type MimeMessage = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** The Date header in ISO 8601; null when it is missing or unreadable. */
  readonly date: string | null;
  readonly messageId: string | null;
  readonly text: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
};

/** What the reader asks of its thread. */
export type ReaderRequest =
  | { readonly kind: "mime" | "headers"; readonly raw: Uint8Array }
  | { readonly kind: "html"; readonly html: string };

export const nothingRead: MimeMessage = {
  from: "",
  to: "",
  subject: "",
  date: null,
  messageId: null,
  text: "",
  attachments: [],
};

/** Stands for a text that cannot be read within the limits, so that the mail is still told of. */
export const unreadText =
  "[Rouse could not read the text of this mail within its limits. Open it in a mail program.]";

/** Cuts to `maxBytes` of UTF-8 with the mark included, and never inside a character. */
export function cutBody(text: string, maxBytes: number): { body: string; bodyTruncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { body: text, bodyTruncated: false };
  const mark = `… (cut: ${bytes.length} bytes in all)`;
  const remaining = maxBytes - Buffer.byteLength(mark);
  const body = remaining < 0 ? firstBytes(bytes, maxBytes) : firstBytes(bytes, remaining) + mark;
  return { body, bodyTruncated: true };
}

function firstBytes(bytes: Buffer, count: number): string {
  let end = count;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

export const snippetOf = (text: string): string => cutWithMark(oneLine(text.slice(0, 2000)), 200);
