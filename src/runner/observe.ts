// The metrics and spans of a run. The span of an attempt becomes the parent of its agent's and its delivery's spans,
// which other nodes may create.
import type { AgentInput } from "../agents/agent.ts";
import type { AgentConfig } from "../config/config.ts";
import { faultKind } from "../core/errors.ts";
import type { Metrics } from "../core/metrics.ts";
import type { AgentOutcome } from "../core/outcome.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";
import type { Span, Trace } from "../core/trace.ts";

export type RunMetrics = Pick<
  Metrics,
  "runStarted" | "runEnded" | "runRetried" | "deliveryEnded" | "leaseLost"
>;

/** How an attempt was handled. `lost`: also when its settlement came too late. */
export type Handled = { kind: "settled"; settlement: Settlement } | { kind: "parked" } | { kind: "lost" };

/** The run with the new span as its trace, and that span. */
export function observeStart(
  claimed: ClaimedRun,
  { metrics, trace }: { metrics: RunMetrics; trace: Trace },
): { run: ClaimedRun; span: Span } {
  const { id, kind, hook, agentId, attempts, startedAt, createdAt, request } = claimed;
  if (kind === "hook" && attempts === 1 && startedAt !== null)
    metrics.runStarted(Math.max(0, startedAt - createdAt) / 1000);
  const span = trace.start(`run ${hook}`, {
    kind: "consumer",
    parent: request.trace,
    attributes: { "rouse.run.id": id, "rouse.hook": hook, "rouse.agent": agentId, "rouse.attempt": attempts },
  });
  return { run: { ...claimed, request: { ...request, trace: span.context } }, span };
}

export function observeEnd(run: ClaimedRun, handled: Handled, span: Span, metrics: RunMetrics): void {
  const outcome = outcomeOf(handled);
  span.set({ "rouse.outcome": outcome });
  span.end(faults.has(outcome) ? outcome : null);
  if (handled.kind === "lost") metrics.leaseLost("run");
  if (handled.kind !== "settled") return;
  const { next, workedMs, delivery } = handled.settlement;
  if (next.kind === "ended") metrics.runEnded(run, next.status, (run.elapsedMs + workedMs) / 1000);
  if (next.kind === "retry" && run.kind === "hook") metrics.runRetried(run.hook);
  if (delivery && delivery.status !== "waiting")
    metrics.deliveryEnded(delivery.channel, delivery.status, null);
}

const faults: ReadonlySet<string> = new Set(["failed", "timed-out", "retry", "lost"]);

function outcomeOf(handled: Handled): string {
  if (handled.kind !== "settled") return handled.kind;
  const { next } = handled.settlement;
  return next.kind === "ended" ? next.status : next.kind;
}

/** Calls the agent inside a span, which the agent can pass on. */
export async function observeAgent(
  input: AgentInput,
  { kind }: Pick<AgentConfig, "kind">,
  trace: Trace,
  call: (input: AgentInput) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
  const span = trace.start(`agent ${kind}`, {
    kind: "client",
    parent: input.trace,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": input.agentId,
      ...(input.model !== null && { "gen_ai.request.model": input.model }),
    },
  });
  try {
    const outcome = await span.during(() => call({ ...input, trace: span.context }));
    const usage = outcome.report?.usage;
    if (usage)
      span.set({
        "gen_ai.usage.input_tokens": usage.inputTokens,
        "gen_ai.usage.output_tokens": usage.outputTokens,
      });
    span.end(outcome.kind === "failed" ? "failed" : null);
    return outcome;
  } catch (fault) {
    span.end(faultKind(fault));
    throw fault;
  }
}
