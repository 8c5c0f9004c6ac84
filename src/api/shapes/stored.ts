// Stored things, as `api/resources` makes them.
import { z } from "zod";
import { deliveryStatuses } from "../../core/delivery.ts";
import { requestOrigins, requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import { span } from "./timeline.ts";
import { count, optionalText, optionalTime, time } from "./fields.ts";

export const runKinds = ["hook", "heartbeat"] as const;

export const run = z
  .strictObject({
    id: z.string(),
    kind: z.enum(runKinds),
    hook: z.string(),
    name: optionalText,
    agentId: z.string(),
    requestedAgentId: optionalText,
    sessionKey: z.string(),
    credential: optionalText.describe("The named token or the sender that its request came with."),
    requestId: optionalText.describe("The kept request that it came from."),
    status: z.enum(runStatuses),
    attempts: count,
    createdAt: time,
    startedAt: optionalTime,
    endedAt: optionalTime,
    reply: optionalText,
    error: optionalText,
  })
  .meta({ id: "Run", description: "A task for an agent, stored from acceptance to its end." });

export const delivery = z
  .strictObject({
    id: z.string(),
    runId: z.string(),
    channel: z.string(),
    to: optionalText,
    status: z.enum(deliveryStatuses),
    attempts: count,
    sentMessages: count,
    createdAt: time,
    sentAt: optionalTime,
    error: optionalText,
  })
  .meta({
    id: "Delivery",
    description: "A reply, or a failure notice in its place, on its way to a person.",
  });

const target = z.strictObject({ channel: z.string(), to: optionalText });

export const deliveryDetails = delivery
  .extend({ text: z.string(), fallback: target.nullable() })
  .meta({ id: "DeliveryDetails", description: "A delivery with its text." });

export const event = z
  .strictObject({
    id: z.string(),
    sessionKey: z.string(),
    text: z.string(),
    hook: optionalText,
    requestId: optionalText.describe("The kept request that it came from."),
    createdAt: time,
    shownAt: optionalTime,
  })
  .meta({ id: "Event", description: "A note for the main session." });

export const turn = z
  .strictObject({
    runId: optionalText,
    role: z.enum(["user", "assistant", "summary"]),
    text: z.string(),
    createdAt: time,
    compacted: z.boolean(),
  })
  .meta({ id: "Turn", description: "One entry of a transcript." });

export const session = z
  .strictObject({
    agentId: z.string(),
    sessionKey: z.string(),
    turns: count,
    lastAt: time,
    foreignSession: optionalText,
  })
  .meta({ id: "Session", description: "What was said under one session key of one agent." });

const toolCall = z.strictObject({
  name: z.string(),
  at: time,
  tookMs: z.number().nullable(),
  ok: z.boolean().nullable(),
  input: optionalText.describe("Only with `agents.keepToolCalls`."),
  output: optionalText,
});

const attempt = z
  .strictObject({
    runId: z.string(),
    number: count,
    node: z.string(),
    outcome: z.string(),
    reason: optionalText,
    startedAt: time,
    endedAt: time,
    nextTryAt: optionalTime,
    toolCalls: z.array(toolCall),
  })
  .meta({ id: "Attempt", description: "One try of a run that has ended." });

export const runDetails = run
  .extend({
    request: z.looseObject({ message: z.string() }).describe("What it was asked to do."),
    lastLine: optionalText,
    nextTryAt: optionalTime,
    retriedAs: optionalText,
    signals: z.unknown().describe("Signs of an attack in its outside text; null before its first prompt."),
    report: z.unknown().describe("What the agent reported, over all attempts; null when it has not."),
    transcript: z.array(turn),
    deliveries: z.array(delivery),
    attemptRecords: z.array(attempt),
  })
  .meta({ id: "RunDetails", description: "A run with everything that is known of it." });

const filter = z.strictObject({
  field: z.string(),
  wanted: z.string(),
  met: z.string(),
  holds: z.boolean(),
});

const decision = z.strictObject({
  mappings: z.array(
    z.strictObject({
      id: z.string(),
      takes: z.boolean(),
      reason: optionalText,
      filters: z.array(filter),
    }),
  ),
  policy: z.strictObject({ allowed: z.boolean(), reason: optionalText }).nullable(),
});

export const request = z
  .strictObject({
    id: z.string(),
    hook: z.string(),
    origin: z.enum(requestOrigins),
    outcome: z.enum(requestOutcomes),
    reason: optionalText,
    credential: optionalText,
    event: optionalText,
    delivery: optionalText,
    address: optionalText,
    bytes: count.nullable(),
    createdAt: time,
    runIds: z.array(z.string()),
    eventIds: z.array(z.string()),
    replayOf: optionalText,
    mapping: optionalText,
    decision: decision.nullable(),
  })
  .meta({ id: "Request", description: "What came in, how it was decided, and what it led to." });

const runLine = z
  .strictObject({
    id: z.string(),
    name: optionalText,
    agentId: z.string(),
    sessionKey: z.string(),
    status: z.enum(runStatuses),
    attempts: count,
    error: optionalText,
    cost: z.number().nullable(),
    createdAt: time,
    endedAt: optionalTime,
    nextTryAt: optionalTime,
    tookMs: z.number(),
    deliveries: z.array(z.strictObject({ channel: z.string(), status: z.enum(deliveryStatuses) })),
    spans: z.array(span).describe("Where its time went, without a gap."),
  })
  .meta({ id: "RunLine", description: "What became of a run, for a row of a list: without its texts." });

export const listedRequest = request
  .extend({
    runs: z.array(runLine).optional().describe("With `include=runs`: the first ten of its runs."),
  })
  .meta({ id: "ListedRequest", description: "A request of a list." });

export const requestDetails = request
  .extend({
    method: optionalText,
    target: optionalText,
    headers: z.record(z.string(), z.string()),
    hasBody: z.boolean(),
  })
  .meta({ id: "RequestDetails", description: "A request with its visible headers; its body is read apart." });

export const auditEntry = z
  .strictObject({
    id: z.string(),
    actor: z.string(),
    verb: z.string(),
    subject: z.string(),
    outcome: z.enum(["done", "refused", "failed"]),
    createdAt: time,
  })
  .meta({ id: "AuditEntry", description: "What an operator did." });
