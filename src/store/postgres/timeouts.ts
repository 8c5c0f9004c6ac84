// How long a database on another machine is waited for. It ends statements itself, but not a commit that waits for a
// replica, and a machine that is gone says nothing at all.
import { StoreUnavailable } from "../../core/errors.ts";
import type { ProgramName } from "../programs/catalogue.ts";

export type Patience = {
  /** How long a whole program may take before the database counts as away. */
  programMs(name: ProgramName): number;
  /** How long its connection may then stay silent. Each that is given up may go on waiting at the database's side. */
  silenceMs: number;
  /** How long connections in use are waited for in the end. */
  closeMs: number;
};

/** Callers do not wait for long. */
export const usualPatience: Patience = {
  programMs: (name) => (name.startsWith("accept") ? 8_000 : 20_000),
  silenceMs: 120_000,
  closeMs: 5_000,
};

export async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const fault = (): void => late.reject(new StoreUnavailable("the database does not answer"));
  const timer = setTimeout(fault, limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
