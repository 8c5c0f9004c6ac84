// Compares the `rouse` commands in our pages with the existing commands.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandNames, loadCommand } from "../../src/cli/catalogue.ts";

const start = /^(?:npm run -s rouse --|rouse) /;

/** The commands in a page's shell blocks, as words. */
export function commandsIn(page: string): string[][] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
  const lines = blocks.join("").replaceAll("\\\n", " ").split("\n");
  return lines.filter((line) => start.test(line)).map((line) => wordsOf(line.replace(start, "")));
}

function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  const end = words.findIndex((match) => match[3] === "#");
  return words.slice(0, end === -1 ? undefined : end).map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** What is wrong with a command: no such command, an option its help does not have, an example that is not there. */
export async function commandFaults(words: readonly string[], root: string): Promise<string[]> {
  const [verb = "", ...rest] = words;
  if (!commandNames.includes(verb)) return [`there is no command ${verb}`];
  const help = (await loadCommand(verb))?.help ?? "";
  return rest.flatMap((word) => {
    if (word.startsWith("--") && !help.includes(word)) return [`${verb} has no option ${word}`];
    if (word.startsWith("examples/") && !existsSync(join(root, word))) return [`${word} is not there`];
    return [];
  });
}
