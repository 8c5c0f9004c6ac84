// Calls with one argument for each item of a list: V8 keeps arguments on the stack, which some hundred thousand overflow.
import type { SourceFile } from "./docs.ts";

const call = /\b(?:push|unshift|splice|concat|max|min|hypot|fromCharCode|fromCodePoint|apply|of)\(/g;

/** The lines at which such a call has a spread among its own arguments. */
export const spreadCalls = ({ path, text }: SourceFile): string[] =>
  [...text.matchAll(call)].flatMap(({ index, 0: name }) =>
    hasSpread(text, index + name.length) ? [`${path}:${text.slice(0, index).split("\n").length}`] : [],
  );

function hasSpread(text: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < text.length && depth >= 0; at++) {
    if (depth === 0 && text.startsWith("...", at)) return true;
    if ("([{".includes(text[at]!)) depth += 1;
    if (")]}".includes(text[at]!)) depth -= 1;
  }
  return false;
}
