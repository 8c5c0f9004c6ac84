// What the configuration says, without its secrets.
import { z } from "zod";
import { count, optionalText, optionalTime } from "./fields.ts";

const used = z.strictObject({ runs: count, inputTokens: count, outputTokens: count, cost: z.number() });

export const hook = z
  .strictObject({
    name: z.string(),
    kind: z.enum(["built-in", "mapped", "sender", "mail"]),
    senderKind: optionalText,
    mappings: z.array(z.string()).describe("The ids of the mappings that name it, in order."),
    pausedAt: optionalTime,
    used: used.nullable().describe("What its runs have used today (UTC); null: nothing."),
  })
  .meta({ id: "Hook", description: "A name under `hooks.path` that a request can be sent to." });

export const agent = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    default: z.boolean(),
    model: optionalText,
    thinking: optionalText,
    tools: z.array(z.string()),
    workspace: z.string(),
  })
  .meta({ id: "Agent", description: "Who can answer." });

export const channel = z
  .strictObject({
    channel: z.string(),
    kind: z.enum(["built in", "plugin"]),
    to: optionalText.describe("Its default recipient."),
    waiting: count.describe("Deliveries that wait."),
    oldestSeconds: z.number().nullable(),
  })
  .meta({ id: "Channel", description: "Where replies can go." });

export const problem = z.strictObject({
  path: z.string(),
  message: z.string(),
  line: count.optional(),
  column: count.optional(),
});

export const configText = z
  .strictObject({
    file: z.string(),
    text: z.string().describe("The file, with a mark in place of each secret that stands in it."),
    differs: z.boolean().describe("The file is not the one that this node runs with."),
    restart: z.array(z.string()).describe("Settings that change only at a restart."),
  })
  .meta({ id: "Config", description: "The config file of this node." });
