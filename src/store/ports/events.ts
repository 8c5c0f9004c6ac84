// System events of the main session, and its heartbeats.
import type { HeartbeatRequest, SystemEvent } from "../../core/system-event.ts";
import type { Page } from "./page.ts";

export type Events = {
  /** Oldest first, up to `limit`. */
  waitingEvents(sessionKey: string, limit: number): Promise<SystemEvent[]>;
  findEvent(id: string): Promise<SystemEvent | null>;
  listEvents(page: Page): Promise<SystemEvent[]>;
  /** Shown again by the next turn (true), or never shown (false). */
  markEvent(id: string, waiting: boolean): Promise<boolean>;
  requestHeartbeat(request: HeartbeatRequest): Promise<void>;
  /** Requests the periodic heartbeat when it is due, once for all nodes. Answers how many ms the next one is away. */
  beatIfDue(request: HeartbeatRequest, everyMs: number): Promise<number>;
};
