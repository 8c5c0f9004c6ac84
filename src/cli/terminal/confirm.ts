// A question with yes or no for the person at the terminal. Where nobody can be asked, `--yes` has to answer.
import { WrongUsage } from "../command.ts";
import type { Terminal } from "./person.ts";
import { safeText } from "./text.ts";

/** False also when the person gives up. */
export async function confirmed(
  { input, output, isInteractive }: Terminal,
  question: string,
): Promise<boolean> {
  if (!isInteractive) throw new WrongUsage("Nobody can be asked without a terminal: add --yes");
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: safeText(question), initialValue: false, input, output })) === true;
}
