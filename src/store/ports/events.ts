// System events of the main session, and its heartbeats.
import type { HeartbeatRequest, SystemEvent, WaitingEvents } from "../../core/system-event.ts";
import type { Page } from "./page.ts";

export type Events = {
  /** Oldest first, up to `limit`, and no more than `mostBytes` as they are stored; the one that crosses it is included. */
  waitingEvents(sessionKey: string, limit: number, mostBytes?: number): Promise<SystemEvent[]>;
  /** Of all sessions, without reading their texts. */
  countWaitingEvents(): Promise<WaitingEvents>;
  findEvent(id: string): Promise<SystemEvent | null>;
  /** The summary that a run ended with. */
  findSummary(runId: string): Promise<SystemEvent | null>;
  listEvents(page: Page): Promise<SystemEvent[]>;
  /** Whether the next heartbeat shows it. False: there is no such event. */
  markEvent(id: string, waiting: boolean): Promise<boolean>;
  requestHeartbeat(request: HeartbeatRequest): Promise<void>;
  /** Requests the periodic heartbeat when it is due, once for all nodes. Returns in how many ms the next is due. */
  beatIfDue(request: HeartbeatRequest, everyMs: number): Promise<number>;
};
