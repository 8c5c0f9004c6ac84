// Changes of the config file's text, and what they change, by lines.
import { ToolError } from "./gateway.ts";

export type Edit = { readonly old: string; readonly new: string };

/** Each edit is made in the text that the ones before it left. Its `old` must stand there exactly once. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, { old, new: replacement }, at) => {
    const found = edited.indexOf(old);
    const again = found === -1 ? -1 : edited.indexOf(old, found + 1);
    if (found === -1)
      throw new ToolError(
        `The old text of edit ${at + 1} is not in the config. Copy it exactly, without the marks at the start of lines.`,
      );
    if (again !== -1)
      throw new ToolError(
        `The old text of edit ${at + 1} stands in the config more than once. Give more of what is around it.`,
      );
    return edited.slice(0, found) + replacement + edited.slice(found + old.length);
  }, text);
}

/** The lines between the first and the last that differ. */
export function changedLines(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => `- ${line}`);
  const added = now.slice(start, now.length - end).map((line) => `+ ${line}`);
  return removed.length + added.length === 0 ? "" : [`line ${start + 1}:`, ...removed, ...added].join("\n");
}
