// Short outside text, such as a name or a path, inside a line of a fenced text.

import { cut } from "../core/text.ts";
import { clean, mostToClean } from "./clean.ts";
import { unifyLineBreaks } from "./hidden.ts";
import { shorten } from "./shorten.ts";

/** One line, JSON-encoded, at most `longest` characters before encoding. */
export const metadata = (value: string, longest = 200): string =>
  JSON.stringify(shorten(clean(lineOf(cut(value, mostToClean(longest)))), longest, "…"));

const lineOf = (value: string): string => unifyLineBreaks(value).replaceAll("\n", " ");
