// What an operator does to one run, or to those that are parked.
import { newId } from "../../core/id.ts";
import { heartbeatDelayMs, type Run } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import { type ActionResult, conflict, done, unknown } from "./result.ts";

const cancelled = "it was cancelled";

export async function retryRun(store: Pick<Store, "repeatRun">, run: Run): Promise<ActionResult> {
  if (run.kind === "heartbeat")
    return conflict("A heartbeat cannot be repeated. Ask for a new one: rouse send wake TEXT");
  const id = newId();
  const result = await store.repeatRun(run.id, id);
  if (result === "not-ended")
    return conflict(
      `Run ${run.id} has not ended (${run.status}). Only a run that has ended can be repeated.`,
    );
  if (result === "unknown") return unknown(`There is no run with the id ${run.id}.`);
  return done(`Queued again as run ${id}`, { id, retryOf: run.id, status: "queued" });
}

/** `agentId`: of the main session, which hears of it. */
export async function cancelRun(
  store: Pick<Store, "cancelRun">,
  run: Run,
  agentId: string,
): Promise<ActionResult> {
  const { summaryOf } = await import("../../session/summary.ts");
  const isHook = run.kind === "hook";
  const result = await store.cancelRun(run.id, {
    error: cancelled,
    summary: isHook ? summaryOf(run, newId(), { status: "cancelled", text: cancelled }) : null,
    heartbeat: isHook && run.request.wakeMode === "now" ? { agentId, delayMs: heartbeatDelayMs } : null,
  });
  if (result === "ended" || result === "unknown")
    return conflict(`Run ${run.id} has ended already: there is nothing to cancel.`);
  const sentence =
    result === "cancelled"
      ? `Run ${run.id} is cancelled.`
      : `Run ${run.id} is running. Its gateway was asked to stop it and does so within seconds.`;
  return done(sentence, { id: run.id, result });
}

/** One parked run, those of a hook, or all. */
export async function releaseRuns(
  store: Pick<Store, "releaseRuns">,
  which: { id: string | null; hook: string | null },
): Promise<ActionResult> {
  const released = await store.releaseRuns(which);
  if (which.id !== null && released === 0) return unknown(`There is no parked run with the id ${which.id}.`);
  return done(releasedWords(released), { released });
}

const releasedWords = (count: number): string =>
  count === 0
    ? "No runs are parked."
    : `${count === 1 ? "One run was" : `${count} runs were`} released and will start as soon as a slot is free.`;
