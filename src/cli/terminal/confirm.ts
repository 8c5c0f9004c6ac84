// Asks a person yes or no. Without a terminal nobody can answer: then `--yes` has to.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Context, type Writer, WrongUsage } from "../command.ts";
import { safeText } from "./text.ts";

export async function confirmed({ ask }: Context, question: string): Promise<boolean> {
  if (ask === null) throw new WrongUsage("Nobody can be asked without a terminal: add --yes");
  const answer = await ask(`${safeText(question)} [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Resolves to one line of the input; empty when the input ends. */
export const askOn =
  (input: Readable, output: Writer) =>
  (question: string): Promise<string> =>
    new Promise((resolve) => {
      output.write(question);
      const lines = createInterface({ input, terminal: false });
      lines.once("line", (line) => {
        resolve(line);
        lines.close();
      });
      lines.once("close", () => resolve(""));
    });
