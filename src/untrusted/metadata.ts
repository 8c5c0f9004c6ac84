// Short outside text, such as a name or a path, inside a line of a fenced text.

import { cut } from "../core/text.ts";
import { clean, mostToClean } from "./clean.ts";
import { unifyLineBreaks } from "./hidden.ts";
import { shorten } from "./shorten.ts";

/** One line of at most `longest` characters with nothing hidden in it. */
export const cleanLine = (value: string, longest: number): string =>
  shorten(clean(lineOf(cut(value, mostToClean(longest)))), longest, "…");

/** The same, JSON-encoded. */
export const metadata = (value: string, longest = 200): string => JSON.stringify(cleanLine(value, longest));

const lineOf = (value: string): string => unifyLineBreaks(value).replaceAll("\n", " ");
