// Where we are in a mailbox: the last UID that was seen, under the validity it was given in.

export type Cursor = { readonly uidValidity: string; readonly uid: number };

export const formatCursor = ({ uidValidity, uid }: Cursor): string => JSON.stringify({ uidValidity, uid });

/** Null for what is none of ours. */
export function parseCursor(written: string): Cursor | null {
  try {
    const value = JSON.parse(written) as Partial<Record<keyof Cursor, unknown>> | null;
    const { uidValidity, uid } = value ?? {};
    const isGood = typeof uidValidity === "string" && typeof uid === "number" && Number.isSafeInteger(uid);
    return isGood ? { uidValidity, uid } : null;
  } catch {
    return null;
  }
}
