// Prints steps and plans of a setup for people.
import { largest } from "../../core/largest.ts";
import type { Call } from "../../gmail-setup/ask.ts";
import type { Step } from "../../gmail-setup/step.ts";
import type { PlannedCall } from "../../gmail-setup/plan.ts";
import type { Context } from "../command.ts";
import { painter, printLine, type Style } from "../terminal/output.ts";

const styles: Readonly<Record<Step["state"], Style>> = {
  there: "dim",
  made: "green",
  changed: "green",
  removed: "green",
  left: "yellow",
};

const words: Readonly<Record<Step["state"], string>> = {
  there: "was there already",
  made: "made",
  changed: "changed",
  removed: "removed",
  left: "left as it is",
};

const width = largest(Object.values(words).map((word) => word.length));

export function showStep(context: Context, { what, name, state, note }: Step): void {
  const paint = painter(context);
  const more = note === undefined ? "" : ` (${note})`;
  printLineWith(context, paint(styles[state], words[state].padEnd(width)), `${what}: ${name}${more}`);
}

/** Only the text goes through the filter for terminals: the colours are our own. */
function printLineWith({ stdout }: Context, start: string, text: string): void {
  stdout.write(`${start}  `);
  printLine({ stdout } as Context, text);
}

export function showPlan(context: Context, calls: readonly PlannedCall[]): void {
  for (const call of calls) {
    printLine(context, `# ${call.what}${call.when === null ? "" : ` (${call.when})`}`);
    printLine(context, `${call.method} ${call.url}`);
    if (call.body !== undefined) printLine(context, `  ${JSON.stringify(call.body)}`);
  }
}

export const plainCall = ({
  what,
  when,
  method,
  url,
  body,
}: PlannedCall): Call & { what: string; when: string | null } => ({
  what,
  when,
  method,
  url,
  ...(body !== undefined && { body }),
});
