// One entry of `hooks.mappings`: which requests it takes, and what they become.
import { z } from "zod";
import { wakeModes } from "../../core/action.ts";
import { lastChannel, platforms } from "../../core/target.ts";
import { seconds, text } from "./field.ts";

const plainValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const match = z.strictObject({
  path: text().describe("The name under `hooks.path`, without slashes at the ends.").optional(),
  source: text().describe("What the payload's `source` must be.").optional(),
  headers: z
    .record(text(), z.union([z.string(), z.array(z.string())]))
    .describe("Header name to the value, or values, it must have.")
    .optional(),
  payload: z
    .record(text(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(plainValue)]))
    .describe("Field path to the value, or values, it must have.")
    .optional(),
});

export const mapping = z.strictObject({
  id: text().describe("A name for this mapping in logs and messages.").optional(),
  match: match.describe("Which requests it takes; without it, every name that is not built in.").optional(),
  action: z.enum(["wake", "agent"]).default("agent").describe("What the request becomes."),
  wakeMode: z.enum(wakeModes).default("now").describe("When the main session looks at it."),
  name: text().describe("The hook's name in summaries. A template.").optional(),
  agentId: text().describe("The agent that runs; an unknown one means the default agent.").optional(),
  sessionKey: text().describe("The session key. A template.").optional(),
  messageTemplate: text().describe("The message for the agent. A template.").optional(),
  textTemplate: text().describe("The text of a wake. A template.").optional(),
  deliver: z.boolean().default(true).describe("Whether the reply is sent to a channel."),
  channel: z
    .enum([lastChannel, ...platforms])
    .describe("The channel for the reply.")
    .optional(),
  to: text().describe("The recipient on that channel. A template.").optional(),
  model: text().describe("The model. A template.").optional(),
  thinking: text().describe("The thinking level. A template.").optional(),
  timeoutSeconds: seconds(604_800).describe("The longest a run may take.").optional(),
  forEach: text().describe("An array in the payload: one action for each of its elements.").optional(),
  transform: z
    .strictObject({
      module: text().describe("A module inside `hooks.transformsDir`."),
      export: text().describe("The function's name; the default export otherwise.").optional(),
    })
    .describe("A module of your own that changes the action.")
    .optional(),
  allowUnsafeExternalContent: z
    .boolean()
    .default(false)
    .describe("Takes the safety boundary off this mapping's prompt."),
});
