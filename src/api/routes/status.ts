// How the gateway is doing, and a heartbeat on demand.
import { z } from "zod";
import { defaultAgent } from "../../config/config.ts";
import { ok, type Route, route } from "../frame/route.ts";
import { status as statusShape } from "../shapes/status.ts";

const status = route({
  id: "getStatus",
  method: "GET",
  path: "/status",
  summary:
    "Counts of what is stored and has not ended, what was spent today, and what ended in the last hour.",
  answer: { status: 200, json: statusShape },
  async handle({ deps }) {
    const { about, clock, store } = deps;
    const [backlog, spending, recent] = await Promise.all([
      store.backlog(),
      store.listSpending(),
      store.outcomesPerHalfMinute(),
    ]);
    return ok({
      version: about.version,
      node: about.node,
      startedAt: timeOf(about.startedAt),
      uptimeSeconds: (clock.monotonic() - about.startedFrom) / 1000,
      waiting: backlog.queued,
      running: backlog.running,
      parked: backlog.parked,
      oldestWaitingSeconds: backlog.oldestMs === null ? null : backlog.oldestMs / 1000,
      events: backlog.events,
      deliveries: backlog.deliveries.map(({ channel, waiting, oldestMs }) => ({
        channel,
        waiting,
        oldestSeconds: oldestMs / 1000,
      })),
      budget: deps.settings().config.hooks.budget,
      spending: spending.map(({ hook, day, runs, inputTokens, outputTokens, cost }) => ({
        hook,
        day,
        runs,
        inputTokens,
        outputTokens,
        cost,
      })),
      recent: {
        stepSeconds: 30,
        completeSince: timeOf(recent.completeSince),
        parts: recent.parts.map(({ from, counts }) => ({ from: timeOf(from), counts })),
      },
    });
  },
});

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

const heartbeat = route({
  id: "requestHeartbeat",
  method: "POST",
  path: "/heartbeat",
  summary: "Wakes the main session now.",
  body: z.strictObject({}),
  bodyOptional: true,
  audited: { verb: "heartbeat.request", subject: () => "main" },
  answer: { status: 200, json: z.strictObject({ agentId: z.string(), requested: z.literal(true) }) },
  async handle({ deps }) {
    const agentId = defaultAgent(deps.settings().config.agents.list).id;
    await deps.store.requestHeartbeat({ agentId, delayMs: 0 });
    deps.kick("heartbeat");
    return ok({ agentId, requested: true });
  },
});

export const statusRoutes: readonly Route[] = [status, heartbeat];
