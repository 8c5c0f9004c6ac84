// Ends a run when its signal fires: the library would wait for tools, and a tool may ignore the signal.
import { faultKind } from "../../core/errors.ts";
import type { AgentOutcome } from "../../core/outcome.ts";
import { failed } from "../failure.ts";
import { ToolFault } from "../../mcp/fault.ts";
import { createTally, type Tally } from "./tally.ts";

/** Never throws. `stop` has fired by the time this resolves, so that nothing it started goes on. */
export async function untilStopped(
  work: (tally: Tally, stop: AbortSignal) => Promise<AgentOutcome>,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  const tally = createTally();
  const over = new AbortController();
  const stopped = Promise.withResolvers<AgentOutcome>();
  const onStop = () => {
    stopped.resolve(failed("it was stopped", true));
    over.abort();
  };
  signal.addEventListener("abort", onStop, { once: true });
  if (signal.aborted) onStop();
  try {
    const working = over.signal.aborted ? stopped.promise : settled(work(tally, over.signal));
    const outcome = await Promise.race([working, stopped.promise]);
    return { ...outcome, report: tally.report() };
  } finally {
    signal.removeEventListener("abort", onStop);
    over.abort();
  }
}

const settled = (work: Promise<AgentOutcome>): Promise<AgentOutcome> =>
  work.catch((fault: unknown) =>
    fault instanceof ToolFault
      ? failed(fault.message, fault.mayPass)
      : failed(`internal fault: ${faultKind(fault)}`, true),
  );
