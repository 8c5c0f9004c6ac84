// An outcome without the values of the variables that its program was given. The reply is the agent's own and stays.
import type { AgentOutcome } from "../core/outcome.ts";
import type { Mask } from "../processes/mask.ts";

export function masked(outcome: AgentOutcome, mask: Mask): AgentOutcome {
  const { report } = outcome;
  const warnings = report?.warnings?.map(mask);
  const shown = report === undefined || warnings === undefined ? {} : { report: { ...report, warnings } };
  return outcome.kind === "failed"
    ? { ...outcome, reason: mask(outcome.reason), ...shown }
    : { ...outcome, ...shown };
}
