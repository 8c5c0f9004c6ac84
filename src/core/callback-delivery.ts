// The delivery of a run's result, made when the run ends.
import { callbackChannel, isAddress } from "./callback.ts";
import type { NewDelivery } from "./delivery.ts";
import type { NewRun } from "./run.ts";

/**
 * What is sent is made of the stored run at each attempt. Results go one beside the other: the recipient is the run,
 * and so each has a lane of its own. Answers to one place go one after another. A failure is a result, but no answer: its
 * reason is for the operator, and the place may be public.
 */
export function callbackDelivery(
  { id: runId, request: { callback, trace } }: Pick<NewRun, "id" | "request">,
  newId: () => string,
  /** Why there is nothing to answer with, where the event came from; null: there is a reply. */
  unanswered: string | null,
): NewDelivery | null {
  if (callback === null) return null;
  const { name, to } = callback;
  const isShown = to !== null && to !== "" && !isAddress(to);
  const delivery = {
    id: newId(),
    runId,
    channel: callbackChannel(name),
    to: isShown ? to : runId,
    text: "",
    fallback: null,
    trace,
  };
  if (to === "")
    return { ...delivery, status: "failed", error: "the request does not say where it came from" };
  if (to !== null && unanswered !== null) return { ...delivery, status: "suppressed", error: unanswered };
  return { ...delivery, status: "waiting", error: null };
}
