// What a program's run leaves without the values of the variables that it was given. What it wrote for people, in its
// reply and on the way to it, is the agent's own and stays.
import type { AgentOutcome } from "../core/outcome.ts";
import type { AgentEvent, AgentInput } from "./agent.ts";
import type { Mask } from "../processes/mask.ts";

export function masked(outcome: AgentOutcome, mask: Mask): AgentOutcome {
  const { report } = outcome;
  const warnings = report?.warnings?.map(mask);
  const shown = report === undefined || warnings === undefined ? {} : { report: { ...report, warnings } };
  return outcome.kind === "failed"
    ? { ...outcome, reason: mask(outcome.reason), ...shown }
    : { ...outcome, ...shown };
}

/** The input for it, whose `onEvent` hears of no value in what its tools were called with and returned. */
export function maskedInput(input: AgentInput, mask: Mask): AgentInput {
  const { onEvent } = input;
  return onEvent ? { ...input, onEvent: (event) => onEvent(maskedEvent(event, mask)) } : input;
}

function maskedEvent(event: AgentEvent, mask: Mask): AgentEvent {
  if (event.kind === "delta") return event;
  if (event.state === "started") {
    const { input } = event;
    return input ? { ...event, input: () => mask(input()) } : event;
  }
  const { output } = event;
  return output ? { ...event, output: () => mask(output()) } : event;
}
