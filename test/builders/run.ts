// Runs of a hook. A test overrides what it is about.
import type { RunRequest } from "../../src/core/action.ts";
import { newId } from "../../src/core/id.ts";
import { outsideMessage, type Message } from "../../src/core/message.ts";
import type { ClaimedRun, NewRun } from "../../src/core/run.ts";

export const aMessage = (text = "do it"): Message => outsideMessage("text", "request", text);

export const aRunRequest = (parts: Partial<RunRequest> = {}): RunRequest => ({
  message: aMessage(),
  origin: "request",
  budget: null,
  unsafe: false,
  name: "Test",
  wakeMode: "now",
  deliver: true,
  channel: "last",
  to: null,
  fallback: null,
  deliverFailures: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  trace: null,
  credential: null,
  results: "none",
  callback: null,
  tools: [],
  ...parts,
});

/** With a session key it is part of a conversation, without one it is isolated. */
export function aRun(parts: Partial<NewRun> = {}): NewRun {
  const id = parts.id ?? newId();
  return {
    id,
    requestId: null,
    kind: "hook",
    hook: "agent",
    agentId: "main",
    requestedAgentId: null,
    sessionKey: `hook:${id}`,
    isolated: parts.sessionKey === undefined,
    request: aRunRequest(),
    ...parts,
  };
}

/** On its first attempt. */
export const aClaimedRun = (parts: Partial<ClaimedRun> = {}): ClaimedRun => ({
  ...aRun(parts),
  status: "running",
  attempts: 1,
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  reply: null,
  error: null,
  signals: null,
  report: null,
  lastLine: null,
  nextTryAt: null,
  retriedAs: null,
  acted: false,
  lease: "lease",
  elapsedMs: 0,
  waitedMs: 0,
  cancelRequested: false,
  ...parts,
});
