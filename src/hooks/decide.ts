// What a body means: the rungs between its last byte and the store. For the built-in hooks one function of plain
// values; for a mapped one it may have to wait for a transform.
import type { Action } from "../core/action.ts";
import { isRefusal, type Refusal, refuse } from "../core/errors.ts";
import { parseJson } from "../http/body.ts";
import type { Room } from "./admission.ts";
import type { Acceptance, Decision, NoAction } from "../core/request.ts";
import { acceptAll, acceptOne, readIdempotency } from "./acceptance.ts";
import { readAgent } from "./payload/agent.ts";
import { type MappedRequest, queryOf, visibleHeaders } from "./mapping/request.ts";
import { allow, type Allowed, type Origin } from "./policy.ts";
import type { HookSettings } from "./settings.ts";
import { readWake } from "./payload/wake.ts";

/** Without `read`: its mappings decide. */
export type Hook = {
  readonly name: string;
  readonly read: ((payload: unknown) => Action | Refusal) | null;
};

/** The queue seems full: what was accepted before is answered, and room is looked for. */
export type Full = { readonly full: Acceptance };

export type HookRequest = { target: string; rawHeaders: readonly string[]; body: Buffer; now: number };

const builtIn: ReadonlyMap<string, Hook> = new Map([
  ["wake", { name: "wake", read: readWake }],
  ["agent", { name: "agent", read: readAgent }],
]);

export const findHook = (name: string, { mappings }: Pick<HookSettings, "mappings">): Hook | undefined =>
  builtIn.get(name) ?? (mappings.couldTake(name) ? { name, read: null } : undefined);

const queueFullRetrySeconds = 30;

/** In the queue. */
export type QueueRoom = Pick<Room, "has" | "find">;

/** What a body asks for; whether it may is the policy's to say. */
export type Asked = {
  readonly actions: readonly Action[];
  readonly origin: Origin;
  /** The element each is for; the answer lists them then, however many there are. */
  readonly places: readonly string[] | null;
};

export function decide(
  hook: Hook,
  request: HookRequest,
  settings: HookSettings,
  room: QueueRoom,
): Decision | Full | Promise<Decision | Full> {
  const asked = ask(hook, request, settings);
  const finish = (each: Asked | Refusal | NoAction): Decision | Full => {
    const decision = conclude(hook, each, request, settings);
    return isTooMuch(decision, room) ? { full: decision } : decision;
  };
  return asked instanceof Promise ? asked.then(finish) : finish(asked);
}

export function ask(
  hook: Hook,
  request: HookRequest,
  settings: HookSettings,
): Asked | Refusal | NoAction | Promise<Asked | Refusal | NoAction> {
  const parsed = parseJson(request.body);
  if (isRefusal(parsed)) return parsed;
  if (hook.read === null) return askMappings(mappedRequest(hook.name, parsed.value, request), settings);
  const action = hook.read(parsed.value);
  return isRefusal(action) ? action : { actions: [action], origin: "request", places: null };
}

async function askMappings(
  request: MappedRequest,
  settings: HookSettings,
): Promise<Asked | Refusal | NoAction> {
  const mapped = await settings.mappings.decide(request);
  if (isRefusal(mapped)) return mapped;
  if (mapped.kind !== "actions") return { outcome: mapped.kind, reason: mapped.reason };
  return { actions: mapped.actions, origin: "mapping", places: mapped.places };
}

/** A payload of our own making, as if it had been sent to this mapped hook. */
export async function decidePayload(
  name: string,
  payload: unknown,
  { settings, room, now }: { settings: HookSettings; room: QueueRoom; now: number },
): Promise<Decision> {
  const request = { rawHeaders: [], target: "", body: Buffer.alloc(0), now };
  const asked = await askMappings(mappedRequest(name, payload, request), settings);
  const decision = conclude({ name, read: null }, asked, request, settings);
  const isFull = isTooMuch(decision, room) && !(await room.find(decision.runs.length));
  return isFull ? queueFull() : decision;
}

export const mappedRequest = (
  name: string,
  payload: unknown,
  { rawHeaders, target, now }: Omit<HookRequest, "body">,
): MappedRequest => ({
  name,
  payload,
  headers: visibleHeaders(rawHeaders),
  query: queryOf(target),
  now: new Date(now).toISOString(),
});

/** All actions are accepted or none is. */
export function conclude(
  { name }: Hook,
  asked: Asked | Refusal | NoAction,
  { rawHeaders, body }: Pick<HookRequest, "rawHeaders" | "body">,
  settings: HookSettings,
): Decision {
  if (isRefusal(asked) || "outcome" in asked) return asked;
  const allowed: Allowed[] = [];
  for (const [at, action] of asked.actions.entries()) {
    const each = allow(action, asked.origin, settings);
    if (isRefusal(each)) return asked.places === null ? each : refusedAt(asked.places[at]!, each);
    allowed.push(each);
  }
  const idempotency = readIdempotency(rawHeaders, body);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  const [only] = allowed;
  return asked.places !== null || only === undefined
    ? acceptAll(name, allowed, settings, idempotency)
    : acceptOne(name, only, settings, idempotency);
}

/** All are refused for one of them: this one. */
const refusedAt = (path: string, refusal: Refusal): Refusal => ({
  ...refusal,
  details: [{ path, message: "is refused, and all the others with it" }],
});

const isTooMuch = (decision: Decision, room: QueueRoom): decision is Acceptance =>
  "runs" in decision && decision.runs.length > 0 && !room.has(decision.runs.length);

export const queueFull = (): Refusal => refuse("queue-full", { retryAfterSeconds: queueFullRetrySeconds });
