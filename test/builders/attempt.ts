// Ended attempts of runs, and what `settle` decides for them.
import { anAttempt } from "./settlement.ts";
import { aClaimedRun, aRunRequest } from "./run.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { RunRequest } from "../../src/core/action.ts";
import type { ClaimedRun } from "../../src/core/run.ts";
import type { NewAttemptRecord } from "../../src/core/attempt-record.ts";
import type { EndedAttempt } from "../../src/core/attempt.ts";
import { settle, type SettlePolicy } from "../../src/runner/settle.ts";

export const run = (parts: Partial<ClaimedRun> = {}, request: Partial<RunRequest> = {}): ClaimedRun =>
  aClaimedRun({ id: "run", agentId: "other", request: aRunRequest({ name: "Email", ...request }), ...parts });

export const nothingReported = {
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  warnings: [],
  toolsGranted: [],
  toolsUsed: [],
};
/** What is kept of the attempt, by how it ended. */
export const recorded = (parts: Partial<NewAttemptRecord> = {}): NewAttemptRecord =>
  anAttempt({ workedMs: 7, ...parts });
export const signals = { hiddenCharacters: 1, chatTokens: 2, fakeMarkers: 3, roleLabels: 4 };

export const policy: SettlePolicy = {
  fallback: null,
  deliverFailures: true,
  maxAttempts: 3,
  timeoutSeconds: 600,
  mainAgentId: "main",
  prices: {},
  node: "here:18789",
  random: 0,
  lastTarget: { channel: "telegram", to: "5" },
  configured: [{ channel: "telegram", to: null }],
};

const attempt = (outcome: Outcome, more: Partial<EndedAttempt> = {}): EndedAttempt => ({
  kind: "ended",
  outcome,
  workedMs: 7,
  signals,
  agentCalled: true,
  model: null,
  toolsGranted: [],
  toolCalls: [],
  shownEventIds: [],
  leftOver: false,
  ...more,
});

export const replied = (reply = "Done."): Outcome => ({ kind: "replied", reply });
export const failed = (mayPass: boolean): Outcome => ({ kind: "failed", reason: "why", mayPass });

export const settled = (
  outcome: Outcome,
  {
    of = run(),
    by = policy,
    more = {},
  }: { of?: ClaimedRun; by?: SettlePolicy; more?: Partial<EndedAttempt> } = {},
) => {
  let ids = 0;
  return settle(of, attempt(outcome, more), by, () => `id-${ids++}`);
};
