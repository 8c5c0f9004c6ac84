// The port of system events and heartbeats.
import type { Driver } from "../driver/program.ts";
import type { Events } from "../ports/events.ts";
import type { Programs } from "../programs/catalogue.ts";
import { collect } from "./lists.ts";
import { eventSetAside, type UnreadableReports } from "./unreadable.ts";

export const createEvents = (driver: Driver<Programs>, reports: UnreadableReports): Events => ({
  async waitingEvents(sessionKey, limit, mostBytes = Infinity) {
    const { events, unreadable } = await driver.run("waitingEvents", { sessionKey, limit, mostBytes });
    if (unreadable.length === 0) return events;
    await driver.run("setEventsAside", { events: unreadable.map(eventSetAside) });
    unreadable.forEach(reports.add);
    return events;
  },
  countWaitingEvents: () => driver.run("countWaitingEvents", null),
  findEvent: (id) => driver.run("findEvent", { id }),
  findSummary: (runId) => driver.run("findSummary", { runId }),
  listEvents: ({ limit }) => collect(limit, (page) => driver.run("listEvents", page)),
  markEvent: (id, waiting) => driver.run("markEvent", { id, waiting }),
  requestHeartbeat: (request) => driver.run("requestHeartbeat", request),
  beatIfDue: (request, everyMs) => driver.run("beatIfDue", { request, everyMs }),
});
