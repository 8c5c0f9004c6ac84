// Short outside text, such as a name or a path, inside a line of a fenced text.

import { clean } from "./clean.ts";
import { unifyLineBreaks } from "./hidden.ts";
import { shorten } from "./shorten.ts";

/** One line, JSON-encoded, at most `longest` characters before encoding. */
export const metadata = (value: string, longest = 200): string =>
  JSON.stringify(shorten(clean(unifyLineBreaks(value).replaceAll("\n", " ")), longest, "…"));
