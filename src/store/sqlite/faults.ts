// What a fault of SQLite means for the caller.
import { StoreUnavailable } from "../../core/errors.ts";

const codes: Readonly<Record<number, string>> = {
  5: "the database is locked by another program",
  6: "the database is locked",
  8: "the database cannot be written",
  10: "the disk reported an error",
  11: "the database file is damaged",
  13: "the disk is full",
  14: "the database file cannot be opened",
  26: "the file is not a database",
};

function primaryCode(fault: unknown): number | null {
  if (!(fault instanceof Error) || !("errcode" in fault)) return null;
  return Number(fault.errcode) & 0xff;
}

export const isUnavailable = (fault: unknown): boolean => {
  const code = primaryCode(fault);
  return code !== null && code in codes;
};

/** `StoreUnavailable` where that is the cause, else the fault itself. */
export function asStoreFault(fault: unknown): unknown {
  const code = primaryCode(fault);
  return code !== null && code in codes ? new StoreUnavailable(codes[code], { cause: fault }) : fault;
}
