// The last rungs, the same for every request whose caller is known: what it asks for is decided, admitted and stored.
import { isRefusal, type Refusal } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import type { Metrics } from "../core/metrics.ts";
import {
  type Acceptance,
  type NoAction,
  newRequest,
  type Repeated,
  type Stored,
  type StoredResponse,
} from "../core/request.ts";
import type { Span } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { withCredential, withTrace } from "./acceptance.ts";
import { type Admission, queueFull } from "./admission.ts";
import { decide, type Hook, type HookRequest, keyedByMapping } from "./decide.ts";
import type { KeyQueues } from "./key-queues.ts";
import type { HookSettings } from "./settings.ts";

export type TakeDeps = {
  settings: () => HookSettings;
  store: Pick<Store, "accept" | "findRepeated" | "recordRequest">;
  admission: Pick<Admission, "admits" | "recount">;
  keyQueues: KeyQueues;
  metrics: Pick<Metrics, "requestStored">;
};

/** What came of a request. All of it is stored, and its caller is answered next. */
export type Taken =
  | { kind: "accepted"; acceptance: Acceptance; stored: Stored }
  | { kind: "repeated"; first: Repeated }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "nothing"; nothing: NoAction };

/** It has no key but the one of its batch: under that of the first request it would be a repeated one. */
const isReplay = ({ replay }: HookRequest): boolean => replay !== undefined;

/** Requests with one key to a mapped hook are taken one after another: each sees what came of the one before it. */
export async function take(hook: Hook, asked: HookRequest, span: Span, deps: TakeDeps): Promise<Taken> {
  const isKeyed =
    hook.read !== null || isReplay(asked) || (asked.idempotency !== null && asked.sent === undefined);
  const request = isKeyed ? asked : await keyedByMapping(hook, asked, deps.settings());
  if ("outcome" in request) return recordNothing(hook, { ...asked, idempotency: null }, request, deps);
  const { idempotency } = request;
  const work = (): Promise<Taken> => takeNow(hook, request, span, deps);
  if (idempotency === null || hook.read !== null) return work();
  const { key, secondKey } = idempotency;
  const queue = (name: string, next: () => Promise<Taken>): Promise<Taken> =>
    deps.keyQueues.add(`${hook.name} ${name}`, next);
  // What holds a second key waits for no other key, so that no two requests wait for each other.
  return queue(key, secondKey === undefined ? work : () => queue(secondKey, work));
}

/**
 * A repeated request gets its first response, whatever would come of it now. Its key is looked up before a transform
 * runs, since that may act. All else only reads the payload: there the key is checked by the transaction that stores the
 * request, and looked up when nothing is to be stored. Another node may have stored the request meanwhile, so it is
 * looked up then in any case.
 */
async function takeNow(hook: Hook, request: HookRequest, span: Span, deps: TakeDeps): Promise<Taken> {
  const { idempotency } = request;
  const findRepeated = async () => idempotency && deps.store.findRepeated(hook.name, idempotency);
  const settings = deps.settings();
  const mayAct = hook.read === null && settings.mappings.mayTransform(hook.name);
  const before = mayAct ? await findRepeated() : null;
  if (before) return { kind: "repeated", first: before };
  const decision = await decide(hook, request, settings);
  const admitted = "runs" in decision ? await admit(decision, deps) : decision;
  if ("runs" in admitted) {
    const traced = withTrace(admitted, span.context);
    return accept(withCredential(traced, request.credential ?? null), deps);
  }
  const meanwhile = await findRepeated();
  if (meanwhile) return { kind: "repeated", first: meanwhile };
  if (isRefusal(admitted)) return { kind: "refused", refusal: admitted };
  return recordNothing(hook, request, admitted, deps);
}

/** Counts again before it refuses. */
async function admit(acceptance: Acceptance, { admission }: TakeDeps): Promise<Acceptance | Refusal> {
  if (admission.admits(acceptance)) return acceptance;
  await admission.recount(acceptance);
  return admission.admits(acceptance) ? acceptance : queueFull();
}

async function accept(acceptance: Acceptance, { store, metrics }: TakeDeps): Promise<Taken> {
  const startedAt = performance.now();
  const accepted = await store.accept(acceptance);
  metrics.requestStored((performance.now() - startedAt) / 1000);
  return accepted.kind === "stored"
    ? { kind: "accepted", acceptance, stored: accepted }
    : { kind: "repeated", first: accepted };
}

const nothingToDo: StoredResponse = { status: 204, body: {} };

/**
 * Recorded before the response: the operator can always see why nothing happened. A 204 is kept with its key like any
 * 2xx, so that a repeated request does not run a transform that would now do something.
 */
async function recordNothing(
  { name: hook }: Hook,
  { idempotency, credential = null, replay }: HookRequest,
  nothing: NoAction,
  { store }: TakeDeps,
): Promise<Taken> {
  const { outcome, reason } = nothing;
  const request = newRequest({
    id: replay?.id ?? newId(),
    hook,
    origin: replay ? "replay" : "http",
    credential,
    replayOf: replay?.of ?? null,
  });
  await store.recordRequest({ request, outcome, reason });
  if (outcome === "skipped" && idempotency) {
    const empty = { id: newId(), hook, request: null, events: [], runs: [], heartbeat: null, idempotency };
    const accepted = await store.accept({ ...empty, response: nothingToDo });
    if (accepted.kind !== "stored") return { kind: "repeated", first: accepted };
  }
  return { kind: "nothing", nothing };
}
