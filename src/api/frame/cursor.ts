// Where a list goes on. A cursor is opaque to callers: the position behind which the next page begins, signed together
// with the list and its filters, so that a cursor of another list, or one that was made up, is refused.
import { createHmac, timingSafeEqual } from "node:crypto";

/** As the list's own search takes it. */
export type Position = number | Readonly<Record<string, number | string>>;

export type Cursors = {
  write(position: Position, list: string): string;
  /** Null: it was not written for this list. */
  read(cursor: string, list: string): Position | null;
};

const signatureBytes = 12;

/** `secret`: the same on every node. */
export function createCursors(secret: string): Cursors {
  const sign = (position: string, list: string): Buffer =>
    createHmac("sha256", secret)
      .update(JSON.stringify(["rouse cursor", position, list]))
      .digest()
      .subarray(0, signatureBytes);
  return {
    write(position, list) {
      const text = Buffer.from(JSON.stringify(position)).toString("base64url");
      return `${text}.${sign(text, list).toString("base64url")}`;
    },
    read(cursor, list) {
      const [, text = "", written = ""] = /^([\w-]+)\.([\w-]{16})$/.exec(cursor) ?? [];
      const signature = Buffer.from(written, "base64url");
      if (signature.length !== signatureBytes || !timingSafeEqual(signature, sign(text, list))) return null;
      return JSON.parse(Buffer.from(text, "base64url").toString()) as Position;
    },
  };
}

/** A list by its name and what it is filtered by, without its cursor and its length. */
export const listKey = (name: string, query: Readonly<Record<string, unknown>>): string => {
  const { cursor: _, limit: __, ...filters } = query;
  return JSON.stringify([name, Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
};
