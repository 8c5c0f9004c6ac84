// A system event is a note for the main session. It waits until a heartbeat that showed it has succeeded.
import type { Message } from "./message.ts";

/** Where the text came from. */
export type EventSource = "wake" | "summary" | "notice";

export type NewEvent = {
  id: string;
  sessionKey: string;
  source: EventSource;
  hook: string | null;
  text: Message;
  /** The kept request that it came from. */
  requestId?: string | null;
};

export type SystemEvent = NewEvent & {
  seq: number;
  createdAt: number;
  shownAt: number | null;
};

/** The events that no turn has shown yet; `bytes`: as they are stored. */
export type WaitingEvents = { count: number; bytes: number };

/** Heartbeat requests coalesce: while one is queued that has not started, another changes nothing. */
export type HeartbeatRequest = { agentId: string; delayMs: number };
