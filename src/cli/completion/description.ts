// A few words about an option or a verb, taken from the command's help.

const longest = 70;

/** Null where the help has none in a form that is short enough to show. */
export function descriptionIn(help: string, word: string): string | null {
  const lines = help.split("\n");
  const isOwn = (line: string) => line.startsWith(`  ${word}`) && !/^[\w-]/.test(line.slice(2 + word.length));
  const at = lines.findIndex(isOwn);
  if (at === -1) return null;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !/^ {8,}\S/.test(line));
  const [, first = ""] = /^ {2}\S.*? {2,}(\S.*)$/.exec(lines[at] ?? "") ?? [];
  const text = [first, ...rest.slice(0, end === -1 ? undefined : end)].map((line) => line.trim()).join(" ");
  return shortened(text.trim());
}

/** The first part of a sentence. What begins with a sign is an example, no description. */
function shortened(text: string): string | null {
  const [part = ""] = text.split(/;|\.(?=\s|$)| \(|,? [{]|, such as/, 1);
  if (!/^[\w"']/.test(part)) return null;
  if (part.length <= longest) return part.trim();
  return `${part.slice(0, part.lastIndexOf(" ", longest))}…`;
}
