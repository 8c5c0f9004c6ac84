// Why a program failed, in words for the operator.
import { oneLine } from "../core/text.ts";

/** `mayPass`: the same program may start when it is tried again. */
export type ProgramFailure = { reason: string; mayPass: boolean };

const passingCodes = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC"]);
const longestTail = 500;

export const notStarted = (command: string, code: string): ProgramFailure =>
  code === "ENOENT"
    ? { reason: `the command ${command} was not found: install it, or write its whole path`, mayPass: false }
    : code === "EACCES"
      ? {
          reason: `the command ${command} may not be run by this user (EACCES): make it executable with chmod +x`,
          mayPass: false,
        }
      : { reason: `the command ${command} could not be started: ${code}`, mayPass: passingCodes.has(code) };

/** With the end of what the program wrote to its standard error, on one line. */
export function withTail(reason: string, errorTail: string): string {
  const tail = oneLine(errorTail).slice(-longestTail).trim();
  return tail === "" ? reason : `${reason}: ${tail}`;
}

export const howItEnded = ({ exitCode, by }: { exitCode: number | null; by: string | null }): string =>
  exitCode === null ? `was ended by ${by ?? "a signal"}` : `ended with exit code ${exitCode}`;
