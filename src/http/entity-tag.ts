// Entity tags (RFC 9110, 8.8.3 and 13.1.2).
import { listHeader } from "./headers.ts";

/** Whether `If-None-Match` names this tag: what the caller has is still right. The tag has its quotes. */
export function isKnownTag(rawHeaders: readonly string[], tag: string): boolean {
  const known = listHeader(rawHeaders, "if-none-match").trim();
  if (known === "*") return true;
  return known.match(/"[^"]*"/g)?.some((each) => each === tag) === true;
}
