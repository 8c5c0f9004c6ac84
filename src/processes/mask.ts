// Hides what a program was given in variables, such as keys, in its words that are kept: the name of the variable
// stands in place of its value.

export type Mask = (text: string) => string;

/** Shorter values are words and numbers that stand in any text. */
const shortest = 8;
const cutMark = "…";

type Part = { value: string; shown: string };

export function createMask(given: Readonly<Record<string, string>>): Mask {
  const parts = Object.entries(given)
    .flatMap(([name, value]) => linesOf(value).map((line) => ({ value: line, shown: `\${${name}}` })))
    .toSorted((a, b) => b.value.length - a.value.length);
  if (parts.length === 0) return (text) => text;
  return (text) => parts.reduce(hideCut, parts.reduce(hideWhole, text));
}

/** A value of several lines, such as a private key, is also hidden where a line of it stands alone. */
const linesOf = (value: string): string[] =>
  value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortest);

const hideWhole = (text: string, { value, shown }: Part): string => text.replaceAll(value, () => shown);

/** Where the text was cut in the middle of the value. */
const hideCut = (text: string, part: Part): string =>
  text
    .split(cutMark)
    .map((each) => hideEnd(hideStart(each, part), part))
    .join(cutMark);

function hideStart(text: string, { value, shown }: Part): string {
  for (let length = Math.min(value.length - 1, text.length); length >= shortest; length--)
    if (text.startsWith(value.slice(-length))) return shown + text.slice(length);
  return text;
}

function hideEnd(text: string, { value, shown }: Part): string {
  for (let length = Math.min(value.length - 1, text.length); length >= shortest; length--)
    if (text.endsWith(value.slice(0, length))) return text.slice(0, -length) + shown;
  return text;
}
