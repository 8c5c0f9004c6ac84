// The summary of a hook run: a system event for the main session, stored with the end of the run.
import { outsideMessage } from "../core/message.ts";
import { mainSessionKey, type EndStatus, type Run } from "../core/run.ts";
import type { NewEvent } from "../core/system-event.ts";
import { cutWithMark, oneLine } from "../core/text.ts";

export const longestSummary = 2000;
const longestName = 200;

export type SummaryContent = {
  name: string | null;
  status: EndStatus;
  /** The reply, or the reason why there is none. */
  text: string;
  /** Why the reply could not be delivered. */
  undelivered?: string | null;
};

export function summaryText({ name, status, text, undelivered = null }: SummaryContent): string {
  const shownName = cutWithMark(oneLine(name ?? ""), longestName);
  const title = shownName === "" ? "Hook" : `Hook ${shownName}`;
  const note =
    undelivered === null ? "" : `\n(The reply was not delivered: ${cutWithMark(oneLine(undelivered), 500)}.)`;
  const shown = cutWithMark(text.trim(), longestSummary - note.length) + note;
  return `${title}${status === "succeeded" ? "" : ` (${status})`}: ${shown}`;
}

export const summaryOf = (
  run: Pick<Run, "hook" | "request">,
  id: string,
  content: Omit<SummaryContent, "name">,
): NewEvent => ({
  id,
  sessionKey: mainSessionKey,
  source: "summary",
  hook: run.hook,
  text: outsideMessage("summary", "reply", summaryText({ name: run.request.name, ...content })),
});
