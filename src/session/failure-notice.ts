// What the person who would have got the reply is told when a run has failed: one line, sent as the reply would be.
import type { EndStatus, Run } from "../core/run.ts";
import { cleanLine } from "../untrusted/metadata.ts";

const longestName = 100;
const longestReason = 300;

/** Statuses that a run's target is told of. Who cancels a run knows it. */
export type FailureStatus = Extract<EndStatus, "failed" | "timed-out">;

export function failureNotice(
  { id, hook, request }: Pick<Run, "id" | "hook" | "request">,
  status: FailureStatus,
  reason: string,
): string {
  const name = literal(request.name?.trim() || hook, longestName);
  const ended = status === "failed" ? "failed" : "timed out";
  return `Hook ${name} ${ended}: ${literal(reason.trim() || "no reason was given", longestReason)}. More: ${literal(`rouse runs show ${id}`, 100)}`;
}

/** As code: channels read a delivery as Markdown, and nothing that comes from outside may become markup or a link. */
function literal(text: string, longest: number): string {
  const line = cleanLine(text.trim(), longest);
  const runs = new Set((line.match(/`+/g) ?? []).map((run) => run.length));
  let count = 1;
  while (runs.has(count)) count += 1;
  const mark = "`".repeat(count);
  const padding = /^`|`$/.test(line) ? " " : "";
  return `${mark}${padding}${line}${padding}${mark}`;
}
