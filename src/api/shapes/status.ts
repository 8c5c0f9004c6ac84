// How the gateway is doing.
import { z } from "zod";
import { count, time } from "./fields.ts";

const outcomes = z.record(z.string(), z.array(count));

export const status = z
  .strictObject({
    version: z.string(),
    node: z.string(),
    startedAt: time,
    uptimeSeconds: z.number(),
    waiting: count.describe("Runs that wait, on all nodes."),
    running: count,
    parked: count,
    oldestWaitingSeconds: z.number().nullable(),
    events: count.describe("Notes that no turn has shown yet."),
    deliveries: z.array(z.strictObject({ channel: z.string(), waiting: count, oldestSeconds: z.number() })),
    budget: z.strictObject({
      runsPerDay: count,
      tokensPerDay: count,
      moneyPerDay: z.number().nullable(),
    }),
    spending: z.array(
      z.strictObject({
        hook: z.string(),
        day: z.string(),
        runs: count,
        inputTokens: count,
        outputTokens: count,
        cost: z.number(),
      }),
    ),
    recent: z
      .strictObject({
        stepSeconds: count,
        until: time.describe("When the last step ends."),
        requests: outcomes,
        runs: outcomes,
        deliveries: outcomes,
      })
      .describe("What ended on this node in the last hour, by outcome, the oldest step first."),
  })
  .meta({ id: "Status", description: "How the gateway is doing: counts, never a scan." });
