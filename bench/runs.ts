// Runs and their ends as the gateway stores them, for measurements that go to the store itself.
import type { RunRequest } from "../src/core/action.ts";
import { newId } from "../src/core/id.ts";
import { outsideMessage } from "../src/core/message.ts";
import { mainSessionKey, type NewRun } from "../src/core/run.ts";
import type { Acceptance } from "../src/core/request.ts";
import type { Settlement } from "../src/core/settlement.ts";

/** No heartbeat follows from it: that would be work of another kind. */
export const request: RunRequest = {
  message: outsideMessage("message", "request", "the build of main is broken; find out why"),
  unsafe: false,
  name: "Bench",
  wakeMode: "next-heartbeat",
  deliver: false,
  channel: "last",
  to: null,
  fallback: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  trace: null,
  tools: [],
};

/** Runs with the same `lane` are turns of one conversation, so they run one after another. */
export function newRun({ lane }: { lane?: string } = {}): NewRun {
  const id = newId();
  return {
    id,
    kind: "hook",
    hook: "agent",
    agentId: "main",
    requestedAgentId: null,
    sessionKey: lane ?? `hook:${id}`,
    isolated: lane === undefined,
    request: lane === undefined ? request : { ...request, message: outsideMessage("lane", "request", lane) },
  };
}

export const acceptanceOf = (run: NewRun): Acceptance => ({
  id: run.id,
  hook: run.hook,
  events: [],
  runs: [run],
  heartbeat: null,
  idempotency: null,
  response: { status: 202, body: {} },
});

/** It ended well; its summary is stored with it. */
export const endOf = ({ hook }: { hook: string }): Settlement => ({
  next: { kind: "ended", status: "succeeded", reply: "done", error: null },
  workedMs: 1,
  signals: null,
  report: null,
  used: null,
  ending: null,
  summary: {
    id: newId(),
    sessionKey: mainSessionKey,
    source: "summary",
    hook,
    text: outsideMessage("summary", "reply", "Hook Bench: done"),
  },
  delivery: null,
  heartbeat: null,
  shownEventIds: [],
});
