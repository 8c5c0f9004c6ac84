// How long we wait for PostgreSQL. The server ends long statements itself, but not a commit that waits for a replica,
// and a machine that has failed sends nothing.
import { StoreUnavailable } from "../../core/errors.ts";
import { catalogue, type ProgramName } from "../programs/catalogue.ts";

export type Timeouts = {
  /** How long a program may take before the database counts as unavailable. */
  programMs(name: ProgramName): number;
  /** How long its connection may then stay silent before we close it. */
  silenceMs: number;
  /** How long `close` waits for connections in use. */
  closeMs: number;
};

export const defaultTimeouts: Timeouts = {
  programMs: (name) => catalogue[name].timeoutMs,
  silenceMs: 120_000,
  closeMs: 5_000,
};

export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const fault = (): void => late.reject(new StoreUnavailable("the database does not answer"));
  const timer = setTimeout(fault, limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
