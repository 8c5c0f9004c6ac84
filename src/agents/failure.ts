// How agents say that they failed.
import type { AgentOutcome } from "../core/outcome.ts";
import { oneLine } from "../core/text.ts";

export type Failed = Extract<AgentOutcome, { kind: "failed" }>;

const passingCodes = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC"]);
const longestTail = 500;

export const failed = (reason: string, mayPass = false): Failed => ({ kind: "failed", reason, mayPass });

export const notStarted = (command: string, code: string): Failed =>
  code === "ENOENT"
    ? failed(`the command ${command} was not found`)
    : failed(`the command ${command} could not be started: ${code}`, passingCodes.has(code));

/** With the end of what the program wrote to its standard error, on one line. */
export function withTail(reason: string, errorTail: string): string {
  const tail = oneLine(errorTail).slice(-longestTail).trim();
  return tail === "" ? reason : `${reason}: ${tail}`;
}
