// A run that failed.
import type { AgentOutcome } from "../core/outcome.ts";
import { notStarted } from "../processes/failure.ts";

export type Failed = Extract<AgentOutcome, { kind: "failed" }>;

export const failed = (reason: string, mayPass = false): Failed => ({ kind: "failed", reason, mayPass });

export const failedToStart = (command: string, code: string): Failed => {
  const { reason, mayPass } = notStarted(command, code);
  return failed(reason, mayPass);
};
