// A timeline, as `timeline/resource` makes it.
import { z } from "zod";
import { runStatuses } from "../../core/run.ts";
import { spanKinds } from "../../timeline/spans.ts";
import { stepStates } from "../../timeline/step.ts";
import { count, optionalText, optionalTime, time } from "./fields.ts";

const step = z
  .looseObject({
    kind: z.string(),
    runId: optionalText.describe("The run whose step it is; null: the request's."),
    state: z.enum(stepStates),
    at: optionalTime,
    sinceMs: z.number().nullable().describe("Since the step before."),
    durationMs: z.number().nullable(),
    title: z.string(),
    text: z.string(),
    facts: z.looseObject({}),
    details: z.array(z.looseObject({ kind: z.string() })),
  })
  .meta({ id: "TimelineStep", description: "What happened, when, and how long it took." });

export const span = z
  .strictObject({
    kind: z.enum(spanKinds),
    runId: optionalText.describe("Null: of a note."),
    begin: time,
    end: time,
    durationMs: z.number(),
    isOpen: z.boolean().describe("It goes on."),
  })
  .meta({ id: "Span", description: "A part of the time that something took." });

export const timeline = z
  .strictObject({
    requestId: optionalText,
    hook: z.string(),
    status: z.string(),
    beganAt: time,
    endedAt: optionalTime.describe("Null: something goes on."),
    tookMs: z.number(),
    runs: z.array(
      z.looseObject({
        id: z.string(),
        status: z.enum(runStatuses),
        agentId: z.string(),
        attempts: count,
        createdAt: time,
        endedAt: optionalTime,
      }),
    ),
    steps: z.array(step),
    spans: z.array(span),
  })
  .meta({ id: "Timeline", description: "Everything that became of one request, in order." });
