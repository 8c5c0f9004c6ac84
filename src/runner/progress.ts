// Collects the facts about an attempt until it ends.
import type { AgentInput } from "../agents/agent.ts";
import type { EndedAttempt, ReleasedAttempt } from "../core/attempt.ts";
import type { Clock } from "../core/clock.ts";
import type { Outcome, TokenUse } from "../core/outcome.ts";
import type { AttemptInput } from "./input.ts";
import { createToolCalls, type ToolCalls } from "./tool-calls.ts";

export type Progress = {
  readonly tools: ToolCalls;
  promptMade(input: AttemptInput): void;
  agentCalled(input: AgentInput): void;
  /** A tool that changes something is called: a failure will not be retried. */
  acted(): void;
  /** Earlier turns were summarised for this attempt with these tokens. */
  summarised(usage: TokenUse): void;
  end(outcome: Outcome): EndedAttempt;
  release(): ReleasedAttempt;
};

export function createProgress(clock: Clock, { keepToolCalls }: { keepToolCalls: boolean }): Progress {
  const startedAt = clock.monotonic();
  const workedMs = () => clock.monotonic() - startedAt;
  const tools = createToolCalls(workedMs, keepToolCalls);
  const known = { ...nothingKnown };
  let hasActed = false;
  let summarising: TokenUse | null = null;
  return {
    tools,
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
      const told = withWarning(ended, tools.warning());
      const whole = summarising === null ? told : withUse(told, summarising);
      const outcome = hasActed ? notAgain(whole) : whole;
      return { kind: "ended", ...known, outcome, toolCalls: tools.list(), workedMs: workedMs() };
    },
    release() {
      const { agentCalled } = known;
      return { kind: "released", agentCalled, toolCalls: tools.list(), workedMs: workedMs() };
    },
  };
}

const nothingKnown: Omit<EndedAttempt, "kind" | "outcome" | "workedMs" | "toolCalls"> = {
  shownEventIds: [],
  leftOver: false,
  signals: null,
  agentCalled: false,
  model: null,
  toolsGranted: [],
};

const notAgain = (outcome: Outcome): Outcome =>
  outcome.kind === "failed" && outcome.mayPass
    ? {
        ...outcome,
        mayPass: false,
        reason: `${outcome.reason} (not tried again: a tool that changes something had run)`,
      }
    : outcome;

const withWarning = (outcome: Outcome, warning: string | null): Outcome =>
  warning === null
    ? outcome
    : { ...outcome, report: { ...outcome.report, warnings: [...(outcome.report?.warnings ?? []), warning] } };

function withUse(outcome: Outcome, { inputTokens, outputTokens }: TokenUse): Outcome {
  const own = outcome.report?.usage ?? { inputTokens: 0, outputTokens: 0 };
  const usage = {
    inputTokens: own.inputTokens + inputTokens,
    outputTokens: own.outputTokens + outputTokens,
  };
  return { ...outcome, report: { ...outcome.report, usage } };
}
