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

/** Rejects when the time is up; the signal then says that nobody waits for the work any longer. */
export async function withTimeout<T>(
  work: (givenUp: AbortSignal) => Promise<T>,
  limitMs: number,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const givenUp = new AbortController();
  const timer = setTimeout(() => {
    givenUp.abort();
    late.reject(new StoreUnavailable("the database does not answer"));
  }, limitMs);
  try {
    return await Promise.race([work(givenUp.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
