// A system event is a note for the main session. It stays until a turn that showed it has succeeded.
import type { Message } from "./message.ts";

/** Where the text came from, carried on the record so that nobody has to guess it later. */
export type EventSource = "wake" | "summary" | "notice";

export type NewEvent = {
  id: string;
  sessionKey: string;
  source: EventSource;
  hook: string | null;
  text: Message;
};

export type SystemEvent = NewEvent & {
  seq: number;
  createdAt: number;
  shownAt: number | null;
};

/** Heartbeat requests coalesce: while one waits that has not begun, another changes nothing. */
export type HeartbeatRequest = { agentId: string; delayMs: number };
