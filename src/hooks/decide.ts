// What a body means: the rungs between its last byte and the store, as one function of plain values.
import type { Action } from "../core/action.ts";
import { isRefusal, type Refusal, refuse } from "../core/errors.ts";
import { parseJson } from "../http/body.ts";
import type { Acceptance } from "../store/store.ts";
import { acceptAgent, acceptWake, readIdempotency } from "./accept.ts";
import { readAgent } from "./agent.ts";
import { applyPolicy } from "./policy.ts";
import type { HookSettings } from "./settings.ts";
import { readWake } from "./wake.ts";

export type Hook = { readonly name: string; readonly read: (payload: unknown) => Action | Refusal };

const builtIn: ReadonlyMap<string, Hook> = new Map([
  ["wake", { name: "wake", read: readWake }],
  ["agent", { name: "agent", read: readAgent }],
]);

export const findHook = (name: string): Hook | undefined => builtIn.get(name);

const queueFullRetrySeconds = 30;

export function decide(
  hook: Hook,
  request: { rawHeaders: readonly string[]; body: Buffer },
  settings: HookSettings,
  hasRoom: (runs: number) => boolean,
): Acceptance | Refusal {
  const parsed = parseJson(request.body);
  if (isRefusal(parsed)) return parsed;
  const action = hook.read(parsed.value);
  if (isRefusal(action)) return action;
  const allowed = action.kind === "agent" ? applyPolicy(action, "request", settings) : action;
  if (isRefusal(allowed)) return allowed;
  const idempotency = readIdempotency(request.rawHeaders, request.body);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  if ("kind" in allowed) return acceptWake(hook.name, allowed, settings, idempotency);
  if (!hasRoom(1)) return refuse("queue-full", { retryAfterSeconds: queueFullRetrySeconds });
  return acceptAgent(hook.name, allowed, settings, idempotency);
}
