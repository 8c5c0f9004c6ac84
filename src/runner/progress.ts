// Collects the facts about an attempt until it ends.
import type { AgentInput } from "../agents/agent.ts";
import type { EndedAttempt, ReleasedAttempt } from "../core/attempt.ts";
import type { Clock } from "../core/clock.ts";
import type { Outcome, TokenUse } from "../core/outcome.ts";
import type { AttemptInput } from "./input.ts";

export type Progress = {
  promptMade(input: AttemptInput): void;
  agentCalled(input: AgentInput): void;
  /** A tool that changes something is called: a failure will not be retried. */
  acted(): void;
  /** Earlier turns were summarised for this attempt with these tokens. */
  summarised(usage: TokenUse): void;
  end(outcome: Outcome): EndedAttempt;
  release(): ReleasedAttempt;
};

export function createProgress(clock: Clock): Progress {
  const startedAt = clock.monotonic();
  const workedMs = () => clock.monotonic() - startedAt;
  const known = { ...nothingKnown };
  let hasActed = false;
  let summarising: TokenUse | null = null;
  return {
    promptMade({ shown, prompt }) {
      Object.assign(known, shown, { signals: prompt.signals });
    },
    agentCalled({ model, tools }) {
      Object.assign(known, { agentCalled: true, model, toolsGranted: tools });
    },
    acted() {
      hasActed = true;
    },
    summarised(usage) {
      summarising = usage;
    },
    end(ended) {
      const outcome = summarising === null ? ended : withUse(ended, summarising);
      return {
        kind: "ended",
        ...known,
        outcome: hasActed ? notAgain(outcome) : outcome,
        workedMs: workedMs(),
      };
    },
    release() {
      const { agentCalled, toolCalls } = known;
      return { kind: "released", agentCalled, toolCalls, workedMs: workedMs() };
    },
  };
}

const nothingKnown: Omit<EndedAttempt, "kind" | "outcome" | "workedMs"> = {
  shownEventIds: [],
  leftOver: false,
  signals: null,
  agentCalled: false,
  model: null,
  toolsGranted: [],
  toolCalls: [],
};

const notAgain = (outcome: Outcome): Outcome =>
  outcome.kind === "failed" && outcome.mayPass
    ? {
        ...outcome,
        mayPass: false,
        reason: `${outcome.reason} (not tried again: a tool that changes something had run)`,
      }
    : outcome;

function withUse(outcome: Outcome, { inputTokens, outputTokens }: TokenUse): Outcome {
  const own = outcome.report?.usage ?? { inputTokens: 0, outputTokens: 0 };
  const usage = {
    inputTokens: own.inputTokens + inputTokens,
    outputTokens: own.outputTokens + outputTokens,
  };
  return { ...outcome, report: { ...outcome.report, usage } };
}
