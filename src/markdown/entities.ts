// Character references in Markdown's text, such as `&lt;`: as CommonMark reads them, only with their semicolon.
import { decodeHTMLStrict } from "entities/decode";

/** A control character, a line break included, is shown as U+FFFD: no reference may add a line. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&#?[A-Za-z0-9]{1,31};/g, (reference) =>
    decodeHTMLStrict(reference).replace(/\p{Cc}/gu, "\uFFFD"),
  );
}
