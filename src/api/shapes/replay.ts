// Replays: what came of one, the plan of many, and how far they are.
import { z } from "zod";
import { requestOutcomes } from "../../core/request.ts";
import { count, optionalText, time } from "./fields.ts";

export const replayed = z
  .strictObject({
    id: z.string(),
    replayOf: z.string(),
    outcome: z.enum(requestOutcomes),
    reason: optionalText,
    runIds: z.array(z.string()),
    eventIds: z.array(z.string()),
  })
  .meta({ id: "Replayed", description: "What came of a replay." });

export const decidedReplay = z
  .strictObject({
    outcome: z.enum(["accepted", "skipped", "refused", "failed", "not-run"]),
    reason: optionalText,
    mapping: optionalText,
    actions: z.array(z.looseObject({ action: z.enum(["agent", "wake"]) })),
  })
  .meta({
    id: "DecidedReplay",
    description: "What a replay would do. `not-run`: its mapping has a transform.",
  });

const counts = z.record(z.string(), count);

export const replayPlan = z
  .strictObject({
    since: time,
    until: time,
    count,
    replayedBefore: count.describe("Left out: a replay of it has been accepted."),
    cannot: counts.describe("Left out: why, and how many."),
    hooks: counts,
    outcomes: counts,
    agents: counts,
    runs: count,
    undecided: count,
    pastAgents: z.array(z.string()),
    estimate: z.strictObject({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cost: z.number(),
      basedOnRuns: count,
    }),
    perMinute: count,
    seconds: count,
    batch: optionalText.describe("Under which it goes on in the background; null: nothing was begun."),
  })
  .meta({ id: "ReplayPlan", description: "What replaying many requests leads to." });

export const replaying = z
  .strictObject({
    batch: z.string(),
    state: z
      .enum(["running", "done", "stopped", "full", "failed"])
      .describe("`full`: too many runs were waiting. All but `done` can go on with the same `batch`."),
    count,
    done: count,
    outcomes: counts,
    startedAt: time,
  })
  .meta({ id: "Replaying", description: "Many requests that are being replayed." });
