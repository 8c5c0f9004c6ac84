// Acceptances, events and heartbeat requests.
import { newId } from "../../src/core/id.ts";
import type { Acceptance, NewRequest, RequestArrival, UnusedRequest } from "../../src/core/request.ts";
import type { HeartbeatRequest, NewEvent } from "../../src/core/system-event.ts";
import { aMessage } from "./run.ts";

/** Named as its only run, like those that the gateway makes. */
export function anAcceptance(parts: Partial<Acceptance> = {}): Acceptance {
  const { runs = [] } = parts;
  const id = (runs.length === 1 ? runs[0]?.id : undefined) ?? newId();
  return {
    id,
    hook: "agent",
    request: null,
    events: [],
    runs: [],
    heartbeat: null,
    idempotency: null,
    response: { status: 202, body: { ok: true, id } },
    ...parts,
  };
}

/** A request as it is kept. */
export const aRequest = (parts: Partial<NewRequest> = {}): NewRequest => ({
  id: newId(),
  hook: "agent",
  origin: "http",
  credential: null,
  arrival: anArrival(),
  mapping: null,
  decision: null,
  replayOf: null,
  body: null,
  ...parts,
});

export const anArrival = (parts: Partial<RequestArrival> = {}): RequestArrival => ({
  method: "POST",
  target: "/hooks/agent",
  address: "127.0.0.1",
  bytes: 2,
  headers: {},
  event: null,
  delivery: null,
  ...parts,
});

/** One that led to nothing. */
export const anUnusedRequest = (
  { outcome = "skipped", reason = "nothing to do" }: Partial<Pick<UnusedRequest, "outcome" | "reason">> = {},
  parts: Partial<NewRequest> = {},
): UnusedRequest => ({ request: aRequest(parts), outcome, reason });

export const anEvent = (text = "something happened", parts: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  sessionKey: "main",
  source: "wake",
  hook: "wake",
  text: aMessage(text),
  ...parts,
});

export const aHeartbeatRequest = (delayMs = 0): HeartbeatRequest => ({ agentId: "main", delayMs });
