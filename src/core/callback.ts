// A callback: the result of a run, sent to the program that asked for it. It is a delivery on a channel of its own, so it
// waits, is tried again and ends as every delivery does.
import type { NewDelivery } from "./delivery.ts";
import type { NewRun } from "./run.ts";

/** `standard`: a signed request with the result. The others answer where the event came from. */
export const callbackFormats = ["standard", "slack-response", "github-comment", "gitlab-comment"] as const;
export type CallbackFormat = (typeof callbackFormats)[number];

/** As a run keeps it. */
export type CallbackTarget = {
  /** Of `hooks.callbacks`. */
  readonly name: string;
  /** Where the event came from, for formats that answer there; empty where the request does not say. */
  readonly to: string | null;
};

const prefix = "callback:";

/** The channel of the callbacks of this name. No platform and no plugin can have such a name. */
export const callbackChannel = (name: string): string => prefix + name;

/** The name of its callback; null for every other channel. */
export const callbackOfChannel = (channel: string): string | null =>
  channel.startsWith(prefix) ? channel.slice(prefix.length) : null;

export const webhookIdOf = (runId: string): string => `${runId}.end`;

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

/** Such an address may be used by whoever knows it. */
const isAddress = (to: string): boolean => to.startsWith("https:");
