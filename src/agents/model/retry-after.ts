// How long a server asks to wait, from the headers of its answer.
import { parseRetryAfter } from "../../core/retry-after.ts";

/** Names in lower case. A date counts from the server's own date, so that no clock is read and none can be wrong. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  return parseRetryAfter(headers["retry-after"], Date.parse(headers["date"] ?? ""));
}
