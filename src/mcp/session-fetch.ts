// `fetch` for a server whose responses a library reads whole: it gives no more than so many bytes, and it ends when its
// signal fires.
import { bounded, type TooLarge } from "../core/response-body.ts";
import { mostMessageBytes } from "./limits.ts";

/** How long the request that closes a session may take. */
const partingMs = 1000;

export function sessionFetch(
  stop: AbortSignal,
  onTooLarge: (fault: TooLarge) => void,
  mostBytes = mostMessageBytes,
): typeof fetch {
  return async (input, init) => {
    const ends = init?.method === "DELETE" ? AbortSignal.timeout(partingMs) : stop;
    const signal = init?.signal ? AbortSignal.any([ends, init.signal]) : ends;
    return bounded(await fetch(input, { ...init, signal }), { mostBytes }, onTooLarge);
  };
}
