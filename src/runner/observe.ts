// What is told of a run as it goes: its numbers, and its spans. A run in hand carries its own span on, so that its
// agent's turn and its delivery belong to it, wherever they go on.
import type { AgentInput } from "../agents/agent.ts";
import type { AgentConfig } from "../config/config.ts";
import { faultKind } from "../core/errors.ts";
import type { Metrics } from "../core/metrics.ts";
import type { AgentOutcome } from "../core/outcome.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Span, Trace } from "../core/trace.ts";
import type { Settlement } from "../core/settlement.ts";

export type RunMetrics = Pick<
  Metrics,
  "runStarted" | "runEnded" | "runRetried" | "deliveryEnded" | "leaseLost"
>;

/** What became of a run in hand; `lost` when it is no longer ours. */
export type Handled = Settlement | "parked" | "lost";

/** The run as it goes on from here, and its span. */
export function beginRecord(
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

export function endRecord(run: ClaimedRun, handled: Handled, span: Span, metrics: RunMetrics): void {
  const outcome = outcomeOf(handled);
  span.set({ "rouse.outcome": outcome });
  span.end(faults.has(outcome) ? outcome : null);
  if (handled === "lost") metrics.leaseLost("run");
  if (typeof handled === "string") return;
  const { next, workedMs, delivery } = handled;
  if (next.kind === "ended") metrics.runEnded(run, next.status, (run.elapsedMs + workedMs) / 1000);
  if (next.kind === "retry" && run.kind === "hook") metrics.runRetried(run.hook);
  if (delivery && delivery.status !== "waiting")
    metrics.deliveryEnded(delivery.channel, delivery.status, null);
}

const faults: ReadonlySet<string> = new Set(["failed", "timed-out", "retry", "lost"]);

function outcomeOf(handled: Handled): string {
  if (typeof handled === "string") return handled;
  return handled.next.kind === "ended" ? handled.next.status : handled.next.kind;
}

/** The agent's turn as a span, which the agent can pass on. */
export async function recordTurn(
  turn: AgentInput,
  { kind }: Pick<AgentConfig, "kind">,
  trace: Trace,
  take: (turn: AgentInput) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
  const span = trace.start(`agent ${kind}`, {
    kind: "client",
    parent: turn.trace,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": turn.agentId,
      ...(turn.model !== null && { "gen_ai.request.model": turn.model }),
    },
  });
  try {
    const outcome = await span.during(() => take({ ...turn, trace: span.context }));
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
