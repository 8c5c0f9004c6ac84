// The last line of what a program wrote, for people who want to know what it does.
import { stripVTControlCharacters } from "node:util";
import { cut, cutWithMark, oneLine } from "../core/text.ts";

const longestLine = 200;
const cutMark = "…";

/**
 * The last line of this tail that is not blank, without colours; null when there is none. A bar of progress is drawn
 * again behind a carriage return, which ends a line here. `isCut`: the beginning of the output is not in the tail.
 */
export function lastLineOf(tail: string, isCut: boolean): string | null {
  const lines = stripVTControlCharacters(tail).split(/[\r\n]+/);
  const at = lines.findLastIndex((line) => oneLine(line) !== "");
  if (at === -1) return null;
  const line = oneLine(lines[at]!);
  // The beginning of this line is gone: its end says more than its middle.
  if (at === 0 && isCut) return cutMark + endOf(line);
  return cutWithMark(line, longestLine);
}

function endOf(line: string): string {
  const end = line.slice(1 - longestLine);
  return cut(end, longestLine).replace(/^[\uDC00-\uDFFF\uFFFD]+/, "");
}
