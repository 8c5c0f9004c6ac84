// What every subject of the store's suite works with.
import type { Clock } from "../../core/clock.ts";
import type { NewDelivery } from "../../core/delivery.ts";
import { newId } from "../../core/id.ts";
import type { RunRequest } from "../../core/action.ts";
import { outsideMessage, type Message } from "../../core/message.ts";
import type { NewRun } from "../../core/run.ts";
import type { NewEvent } from "../../core/system-event.ts";
import type { Acceptance } from "../../core/request.ts";
import type { DeliverySettlement, Settlement } from "../../core/settlement.ts";
import type { Store } from "./store.ts";

/** A clock that stands still until it is told to move. */
export type TestClock = Clock & { advance(ms: number): void };

export type Harness = { store: Store; clock: TestClock };
export type OpenHarness = () => Promise<Harness & { close(): Promise<void> }>;

export function createTestClock(): TestClock {
  let now = Date.parse("2026-01-01T00:00:00Z");
  return {
    now: () => now,
    after: () => () => {},
    advance: (ms) => void (now += ms),
  };
}

export const leaseMs = 15_000;

export const outside = (text: string): Message => outsideMessage("text", "request", text);

export const request: RunRequest = {
  message: outside("do it"),
  unsafe: false,
  name: "Test",
  wakeMode: "now",
  deliver: true,
  channel: "last",
  to: null,
  fallback: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  trace: null,
  tools: [],
};

export function run(options: { key?: string; message?: Message } = {}): NewRun {
  const id = newId();
  const sessionKey = options.key ?? `hook:${id}`;
  return {
    id,
    kind: "hook",
    hook: "agent",
    agentId: "main",
    requestedAgentId: null,
    sessionKey,
    isolated: options.key === undefined,
    request: { ...request, message: options.message ?? request.message },
  };
}

export const event = (text = "something happened"): NewEvent => ({
  id: newId(),
  sessionKey: "main",
  source: "wake",
  hook: "wake",
  text: outside(text),
});

export const heartbeat = (delayMs = 0) => ({ agentId: "main", delayMs });

export function acceptance(parts: Partial<Acceptance>): Acceptance {
  const id = newId();
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

export const acceptRuns = async (store: Store, ...runs: NewRun[]): Promise<void> => {
  for (const each of runs) await store.accept(acceptance({ runs: [each] }));
};

export const claim = (store: Store, { limit = 10, lease = "lease", kind = "hook" as const } = {}) =>
  store.claimRuns({ kind, limit, lease, leaseMs });

export const claimHeartbeats = (store: Store, lease = "beat") =>
  store.claimRuns({ kind: "heartbeat", limit: 10, lease, leaseMs });

export const settlement = (parts: Partial<Settlement> = {}): Settlement => ({
  next: { kind: "ended", status: "succeeded", reply: "done", error: null },
  workedMs: 100,
  signals: null,
  report: null,
  used: null,
  ending: null,
  summary: null,
  delivery: null,
  heartbeat: null,
  shownEventIds: [],
  ...parts,
});

export const delivery = (parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id: newId(),
  runId: newId(),
  channel: "telegram",
  to: "12345",
  text: "hello",
  status: "waiting",
  error: null,
  fallback: null,
  trace: null,
  ...parts,
});

export const sentOutcome: DeliverySettlement = {
  status: "sent",
  delayMs: 0,
  countsAttempt: true,
  error: null,
  cursor: 1,
  doubts: 0,
  notice: null,
  fallback: null,
};
