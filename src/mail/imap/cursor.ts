// A position in a mailbox: the last UID that was read, and the UIDVALIDITY it belongs to.

export type Cursor = { readonly uidValidity: string; readonly uid: number };

export const formatCursor = ({ uidValidity, uid }: Cursor): string => JSON.stringify({ uidValidity, uid });

/** Null for anything that `formatCursor` did not write. */
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
