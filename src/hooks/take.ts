// The last rungs, the same for every request whose caller is known: what it asks for is decided, admitted and stored.
import { isRefusal, type Refusal } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import type { Metrics } from "../core/metrics.ts";
import {
  type Acceptance,
  type Idempotency,
  type NewRequest,
  type NoAction,
  type Repeated,
  repeatedRequest,
  type Stored,
  type StoredResponse,
} from "../core/request.ts";
import type { Span } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { withCallback, withCredential, withRequest, withTrace } from "./acceptance.ts";
import { type Admission, queueFull } from "./admission.ts";
import { requestOf } from "./arrival.ts";
import { decide, type Hook, type HookRequest, keyedByMapping } from "./decide.ts";
import type { KeyQueues } from "./key-queues.ts";
import type { HookSettings } from "./settings.ts";
import type { UnusedRequests } from "./unused.ts";

export type TakeDeps = {
  settings: () => HookSettings;
  store: Pick<Store, "accept" | "findRepeated" | "recordRequest">;
  admission: Pick<Admission, "admits" | "recount">;
  keyQueues: KeyQueues;
  metrics: Pick<Metrics, "requestStored">;
  unused: Pick<UnusedRequests, "add">;
};

/** What came of a request. All but a refusal is stored, and its caller is answered next. */
export type Taken =
  | { kind: "accepted"; acceptance: Acceptance; stored: Stored }
  | { kind: "repeated"; first: Repeated }
  /** Its request is recorded by whoever answers. */
  | { kind: "refused"; refusal: Refusal; request: NewRequest }
  | { kind: "nothing"; nothing: NoAction };

/** It has no key but the one of its batch: under that of the first request it would be a repeated one. */
const isReplay = ({ replayOf }: HookRequest): boolean => replayOf !== undefined;

/** Requests with one key to a mapped hook are taken one after another: each sees what came of the one before it. */
export async function take(hook: Hook, asked: HookRequest, span: Span, deps: TakeDeps): Promise<Taken> {
  const isKeyed =
    hook.read !== null || isReplay(asked) || (asked.idempotency !== null && asked.sent === undefined);
  const request = isKeyed ? asked : await keyedByMapping(hook, asked, deps.settings());
  if ("outcome" in request)
    return recordNothing(requestOf(hook.name, asked, deps.settings()), null, request, deps);
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
  if (before) return repeated(before, requestOf(hook.name, request, settings), deps);
  const { decision, how } = await decide(hook, request, settings);
  const admitted = "runs" in decision ? await admit(decision, deps) : decision;
  const kept = { ...requestOf(hook.name, request, settings), ...how };
  if ("runs" in admitted) {
    const traced = withTrace(admitted, span.context);
    const named = withCredential(traced, request.credential ?? null);
    return accept(withCallback(named, request.callback ?? null), kept, deps);
  }
  const meanwhile = await findRepeated();
  if (meanwhile) return repeated(meanwhile, kept, deps);
  if (isRefusal(admitted)) return { kind: "refused", refusal: admitted, request: kept };
  return recordNothing(kept, idempotency, admitted, deps);
}

/** A request whose key was found. */
async function repeated(first: Repeated, request: NewRequest, deps: TakeDeps): Promise<Taken> {
  const unused = { request, ...repeatedRequest(first) };
  if (first.kind === "mismatch") deps.unused.add(unused);
  else if (deps.settings().keep.accepted) await deps.store.recordRequest(unused);
  return { kind: "repeated", first };
}

/** Counts again before it refuses. */
async function admit(acceptance: Acceptance, { admission }: TakeDeps): Promise<Acceptance | Refusal> {
  if (admission.admits(acceptance)) return acceptance;
  await admission.recount(acceptance);
  return admission.admits(acceptance) ? acceptance : queueFull();
}

/** The transaction also stores the request, where it is kept. */
async function accept(decided: Acceptance, request: NewRequest, deps: TakeDeps): Promise<Taken> {
  const isKept = deps.settings().keep.accepted;
  const acceptance = isKept ? withRequest(decided, request) : decided;
  const startedAt = performance.now();
  const accepted = await deps.store.accept(acceptance);
  deps.metrics.requestStored((performance.now() - startedAt) / 1000);
  if (accepted.kind === "stored") return { kind: "accepted", acceptance, stored: accepted };
  return isKept ? { kind: "repeated", first: accepted } : repeated(accepted, request, deps);
}

const nothingToDo: StoredResponse = { status: 204, body: {} };

/**
 * Recorded before the response: the operator can always see why nothing happened. A 204 is kept with its key like any
 * 2xx, so that a repeated request does not run a transform that would now do something.
 */
async function recordNothing(
  request: NewRequest,
  idempotency: Idempotency | null,
  nothing: NoAction,
  { store }: TakeDeps,
): Promise<Taken> {
  if (nothing.outcome === "skipped" && idempotency) {
    const empty = { id: newId(), hook: request.hook, events: [], runs: [], heartbeat: null };
    const accepted = await store.accept({ ...empty, request, nothing, idempotency, response: nothingToDo });
    if (accepted.kind !== "stored") return { kind: "repeated", first: accepted };
  } else await store.recordRequest({ request, ...nothing });
  return { kind: "nothing", nothing };
}
