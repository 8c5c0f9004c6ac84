// Turns an allowed action into everything that is stored for it, and the response to its caller.
import { hash } from "node:crypto";
import type { ResultAccess, RunRequest, WakeAction } from "../core/action.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { heartbeatDelayMs, mainSessionKey, type NewRun } from "../core/run.ts";
import { generatedKeyPrefix } from "../core/session-key.ts";
import { repeated, singleHeader } from "../http/headers.ts";
import { type Acceptance, type Idempotency, isGoodKey, type NewRequest } from "../core/request.ts";
import type { Allowed, AllowedAgentAction } from "./policy.ts";
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
    request: null,
    events: [{ id, sessionKey: mainSessionKey, source: "wake", hook, text }],
    runs: [],
    heartbeat: mode === "now" ? { agentId: settings.defaultAgentId, delayMs: heartbeatDelayMs } : null,
    idempotency,
    response: { status: 200, body: { ok: true, mode, eventId: id } },
  };
}

/** What the caller may read of a run, by the word of its mapping, if there is one. */
export type AccessRule = (ofMapping: ResultAccess | null) => ResultAccess;

const noAccess: AccessRule = () => "none";

/** Requests no heartbeat: the run's end does, with its summary. */
export function acceptAgent(
  hook: string,
  allowed: AllowedAgentAction,
  settings: Pick<HookSettings, "defaultSessionKey" | "tools">,
  idempotency: Acceptance["idempotency"],
  accessOf: AccessRule = noAccess,
): Acceptance {
  const run = newRun(hook, allowed, settings, accessOf);
  return {
    id: run.id,
    hook,
    request: null,
    events: [],
    runs: [run],
    heartbeat: null,
    idempotency,
    response: { status: 202, body: { ok: true, runId: run.id }, ...readableIf([run]) },
  };
}

/** Kept with the response, so that a repeated request gets the same headers. */
const readableIf = (runs: readonly NewRun[]): Pick<Acceptance["response"], "readable"> =>
  runs.some(({ request }) => request.results !== "none") ? { readable: true } : {};

export const acceptOne = (
  hook: string,
  action: Allowed,
  settings: Pick<HookSettings, "defaultAgentId" | "defaultSessionKey" | "tools">,
  idempotency: Acceptance["idempotency"],
  accessOf?: AccessRule,
): Acceptance =>
  "kind" in action
    ? acceptWake(hook, action, settings, idempotency)
    : acceptAgent(hook, action, settings, idempotency, accessOf);

/** One acceptance for all actions of a request with `forEach`; the response lists them. */
export function acceptAll(
  hook: string,
  actions: readonly Allowed[],
  settings: Pick<HookSettings, "defaultAgentId" | "defaultSessionKey" | "tools">,
  idempotency: Acceptance["idempotency"],
  accessOf?: AccessRule,
): Acceptance {
  const each = actions.map((action) => acceptOne(hook, action, settings, null, accessOf));
  const runs = each.flatMap((one) => one.runs);
  const events = each.flatMap((one) => one.events);
  const wakes = actions.filter((action) => "kind" in action);
  const mode = wakes.some((wake) => wake.mode === "now") ? "now" : "next-heartbeat";
  const runIds = runs.map(({ id }) => id);
  const eventIds = events.map(({ id }) => id);
  return {
    id: newId(),
    hook,
    request: null,
    events,
    runs,
    heartbeat: each.find((one) => one.heartbeat)?.heartbeat ?? null,
    idempotency,
    response: {
      status: runs.length > 0 ? 202 : 200,
      body: {
        ok: true,
        ...(events.length > 0 && { mode, eventIds }),
        ...(runs.length > 0 && { runIds }),
      },
      ...readableIf(runs),
    },
  };
}

/** Runs and deliveries of this acceptance continue the trace. */
export const withTrace = (acceptance: Acceptance, trace: string | null): Acceptance =>
  trace === null ? acceptance : withRunFields(acceptance, { trace });

/** Runs of this acceptance name the token that their request came with. */
export const withCredential = (acceptance: Acceptance, credential: string | null): Acceptance =>
  credential === null ? acceptance : withRunFields(acceptance, { credential });

/** Stored with its request, which its runs and events name. */
export const withRequest = (acceptance: Acceptance, request: NewRequest): Acceptance => ({
  ...acceptance,
  request,
  runs: acceptance.runs.map((run) => ({ ...run, requestId: request.id })),
  events: acceptance.events.map((event) => ({ ...event, requestId: request.id })),
});

/** The results of this acceptance's runs are sent to this callback, where neither mapping nor request names one. */
export const withCallback = (acceptance: Acceptance, name: string | null): Acceptance =>
  name === null
    ? acceptance
    : {
        ...acceptance,
        runs: acceptance.runs.map((run) =>
          run.request.callback ? run : { ...run, request: { ...run.request, callback: { name, to: null } } },
        ),
      };

const withRunFields = (acceptance: Acceptance, fields: Partial<RunRequest>): Acceptance => ({
  ...acceptance,
  runs: acceptance.runs.map((run) => ({ ...run, request: { ...run.request, ...fields } })),
});

function newRun(
  hook: string,
  { action, agentId }: AllowedAgentAction,
  settings: Pick<HookSettings, "defaultSessionKey" | "tools">,
  accessOf: AccessRule,
): NewRun {
  const { kind: _, agentId: requestedAgentId, sessionKey: explicitKey, tools, results, ...rest } = action;
  const request = {
    ...rest,
    tools: tools ?? settings.tools,
    trace: null,
    credential: null,
    results: accessOf(results),
  };
  const id = newId();
  const sessionKey = explicitKey ?? settings.defaultSessionKey ?? generatedKeyPrefix + id;
  // A run without a session key of its own is isolated, even where the default key is a shared one.
  const isolated = explicitKey === null;
  return {
    id,
    requestId: null,
    kind: "hook",
    hook,
    agentId,
    requestedAgentId,
    sessionKey,
    isolated,
    request,
  };
}

/** Null when the request has no Idempotency-Key. */
export function readIdempotency(rawHeaders: readonly string[], body: Buffer): Idempotency | Refusal | null {
  const key = singleHeader(rawHeaders, "idempotency-key");
  if (key === undefined) return null;
  if (key === repeated || !isGoodKey(key)) return refuse("invalid-idempotency-key");
  return { key, fingerprint: hash("sha256", body, "hex") };
}
