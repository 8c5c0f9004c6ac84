// An allowed action becomes all that is stored for it, with the answer the caller will get.
import { hash } from "node:crypto";
import type { WakeAction } from "../core/action.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { heartbeatDelayMs, laneOf, mainSessionKey, type NewRun } from "../core/run.ts";
import { generatedKeyPrefix } from "../core/session-key.ts";
import { repeated, singleHeader } from "../http/headers.ts";
import type { Acceptance } from "../store/store.ts";
import type { AllowedAgentAction } from "./policy.ts";
import type { HookSettings } from "./settings.ts";

export function acceptWake(
  hook: string,
  { text, mode }: WakeAction,
  settings: Pick<HookSettings, "defaultAgentId">,
  idempotency: Acceptance["idempotency"],
): Acceptance {
  const id = newId();
  return {
    id,
    hook,
    events: [{ id, sessionKey: mainSessionKey, source: "wake", hook, text }],
    runs: [],
    heartbeat: mode === "now" ? { agentId: settings.defaultAgentId, delayMs: heartbeatDelayMs } : null,
    idempotency,
    answer: { status: 200, body: { ok: true, mode, eventId: id } },
  };
}

/** Asks for no heartbeat: that comes with the run's summary. */
export function acceptAgent(
  hook: string,
  allowed: AllowedAgentAction,
  settings: Pick<HookSettings, "defaultSessionKey">,
  idempotency: Acceptance["idempotency"],
): Acceptance {
  const run = newRun(hook, allowed, settings.defaultSessionKey);
  return {
    id: run.id,
    hook,
    events: [],
    runs: [run],
    heartbeat: null,
    idempotency,
    answer: { status: 202, body: { ok: true, runId: run.id } },
  };
}

function newRun(hook: string, { action, agentId }: AllowedAgentAction, defaultKey: string | null): NewRun {
  const { kind: _, agentId: requestedAgentId, sessionKey: explicitKey, ...request } = action;
  const id = newId();
  const sessionKey = explicitKey ?? defaultKey ?? generatedKeyPrefix + id;
  const lane = laneOf({ id, agentId, sessionKey }, explicitKey !== null);
  return { id, kind: "hook", hook, agentId, requestedAgentId, sessionKey, lane, request };
}

const goodKey = /^[\x21-\x7e]{1,255}$/;

/** Null when the request has no Idempotency-Key. */
export function readIdempotency(
  rawHeaders: readonly string[],
  body: Buffer,
): NonNullable<Acceptance["idempotency"]> | Refusal | null {
  const key = singleHeader(rawHeaders, "idempotency-key");
  if (key === undefined) return null;
  if (key === repeated || !goodKey.test(key)) return refuse("invalid-idempotency-key");
  return { key, fingerprint: hash("sha256", body, "hex") };
}
