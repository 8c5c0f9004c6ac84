// How the gateway is doing.
import { z } from "zod";
import { requestOutcomes } from "../../core/request.ts";
import { count, time } from "./fields.ts";

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
        completeSince: time.describe(
          "Later than the first part where there were more requests than are counted.",
        ),
        parts: z.array(
          z.strictObject({ from: time, counts: z.partialRecord(z.enum(requestOutcomes), count) }),
        ),
      })
      .describe("What came of the requests of the last hour, on all nodes, the oldest part first."),
  })
  .meta({ id: "Status", description: "How the gateway is doing: counts, never a scan." });
