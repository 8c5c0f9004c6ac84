// Acceptances, events and heartbeat requests.
import { newId } from "../../src/core/id.ts";
import type { Acceptance } from "../../src/core/request.ts";
import type { HeartbeatRequest, NewEvent } from "../../src/core/system-event.ts";
import { aMessage } from "./run.ts";

/** Named as its only run, like those that the gateway makes. */
export function anAcceptance(parts: Partial<Acceptance> = {}): Acceptance {
  const { runs = [] } = parts;
  const id = (runs.length === 1 ? runs[0]?.id : undefined) ?? newId();
  return {
    id,
    hook: "agent",
    events: [],
    runs: [],
    heartbeat: null,
    idempotency: null,
    response: { status: 202, body: { ok: true, id } },
    ...parts,
  };
}

export const anEvent = (text = "something happened", parts: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  sessionKey: "main",
  source: "wake",
  hook: "wake",
  text: aMessage(text),
  ...parts,
});

export const aHeartbeatRequest = (delayMs = 0): HeartbeatRequest => ({ agentId: "main", delayMs });
