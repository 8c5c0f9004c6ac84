// How long a server asks us to wait, from the headers of its response.
import { parseRetryAfter } from "../../core/retry-after.ts";

/** Names in lower case. A date is compared with the server's own `Date`, so that our clock does not matter. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  return parseRetryAfter(headers["retry-after"], Date.parse(headers["date"] ?? ""));
}
