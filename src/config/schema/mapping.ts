// One entry of `hooks.mappings`: which requests it takes, and what they become.
import { z } from "zod";
import { resultAccesses, wakeModes } from "../../core/action.ts";
import { parseFieldPath, parseFilterPath } from "../../core/field-path.ts";
import { longestRunSeconds } from "../../core/run.ts";
import { toolName } from "./agents.ts";
import { channelName, fallback } from "./channels.ts";
import { seconds, text } from "./field.ts";
import { filterPath, headerCondition, payloadCondition } from "./filter.ts";
import { hookName } from "./hook-name.ts";

/** Never shown to templates, transforms or filters: they carry secrets. */
export const secretHeaders: readonly string[] = [
  "authorization",
  "proxy-authorization",
  "x-gateway-token",
  "cookie",
];

const isFieldPath = (written: string): boolean => parseFieldPath(written) !== null;
const fieldPathFault = "must be a path such as messages[0].from: names with dots, numbers in brackets";

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header")
  .refine(
    (name) => !secretHeaders.includes(name.toLowerCase()),
    "is a header that carries secrets and cannot be matched",
  );

/** Refuses two filters of the same thing in different spellings: the user means one value, or a list. */
const noDuplicates =
  (sameFor: (name: string) => string) =>
  (filters: object, context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const name of Object.keys(filters)) {
      if (seen.size < seen.add(sameFor(name)).size) continue;
      const message = "filters the same thing as another one: give one of them a list of values";
      context.addIssue({ code: "custom", path: [name], message });
    }
  };

export const toolGrant = z.union([z.array(toolName), z.literal("agent")], {
  error: 'must be a list of tools, or "agent"',
});

const match = z.strictObject({
  path: hookName.describe("The name under `hooks.path`, without slashes at the ends.").optional(),
  source: text().describe("What the payload's `source` must be.").optional(),
  event: z
    .union([text(), z.array(text()).min(1)])
    .describe("The kind of event, or kinds, as the sender of `hooks.senders` names it: `issues.opened`.")
    .optional(),
  headers: z
    .record(headerName, headerCondition)
    .superRefine(noDuplicates((name) => name.toLowerCase()))
    .describe("Header name to the value it must have, to [operators](mappings.md#operators), or to a list of these.")
    .optional(),
  payload: z
    .record(filterPath, payloadCondition)
    .superRefine(noDuplicates((written) => JSON.stringify(parseFilterPath(written))))
    .describe(
      "Field path, such as `action` or `labels[*].name`, to the value it must have, to [operators](mappings.md#operators), or to a list of these.",
    )
    .optional(),
});

const examplePayload = z.union(
  [
    text(),
    z.strictObject({
      payload: text().describe("The file with the body: JSON, or by its extension a form or XML."),
      headers: text().describe("A file with its headers, one a line as `NAME: VALUE`.").optional(),
    }),
  ],
  { error: 'must be a file, or { "payload": …, "headers": … }' },
);

export const mapping = z.strictObject({
  id: text().describe("A name for this mapping in logs and messages. Left out: `mapping-1` and so on.").optional(),
  match: match.describe("Which requests it takes; without it, every name that is not built in.").optional(),
  action: z.enum(["wake", "agent"]).default("agent").describe("What the request becomes."),
  wakeMode: z.enum(wakeModes).default("now").describe("When the main session handles it."),
  name: text().describe("The hook's name in summaries. A template.").optional(),
  agentId: text().describe("The agent that runs; an unknown one means the default agent.").optional(),
  sessionKey: text().describe("The session key. A template.").optional(),
  messageTemplate: text().describe("The message for the agent. A template.").optional(),
  textTemplate: text().describe("The text of a wake. A template.").optional(),
  deliver: z.boolean().default(true).describe("Whether the reply is sent to a channel."),
  channel: channelName
    .describe("The channel for the reply: `last`, a platform's name, or that of a plugin.")
    .optional(),
  to: text().describe("The recipient on that channel. A template.").optional(),
  fallback: fallback.optional(),
  deliverFailures: z
    .boolean()
    .describe("Whether a failed run tells the recipient of its reply. Left out: as `hooks.deliverFailures`.")
    .optional(),
  results: z
    .enum(resultAccesses)
    .describe("What callers may read of its runs, whatever their token says. Left out: as the token, or else `hooks.results`.")
    .optional(),
  model: text().describe("The model. A template.").optional(),
  thinking: text().describe("The thinking level. A template.").optional(),
  timeoutSeconds: seconds(longestRunSeconds).describe("The longest a run may take.").optional(),
  tools: toolGrant
    .describe('Tools its runs get beyond reading, by name; "agent": all its agent has. Left out: as `hooks.tools`.')
    .optional(),
  idempotencyKey: text()
    .describe("What makes two requests the same, where their caller can send no `Idempotency-Key`. A template.")
    .optional(),
  forEach: text()
    .refine(isFieldPath, fieldPathFault)
    .describe("An array in the payload: one action for each of its elements. `payload` is the whole payload.")
    .optional(),
  transform: z
    .strictObject({
      module: text().describe("A module inside `hooks.transformsDir`."),
      export: text().describe("The function's name; otherwise the default export, then `transform`.").optional(),
    })
    .describe("A module of your own that changes the action.")
    .optional(),
  examples: z
    .array(examplePayload)
    .describe("Payloads as its sender sends them, each a file relative to this config: `rouse check` compares filters and templates with them.")
    .optional(),
  callback: text().describe("Where the result of its runs is sent: a name of `hooks.callbacks`.").optional(),
  allowUnsafeExternalContent: z
    .boolean()
    .default(false)
    .describe("Lifts the safety boundary from this mapping's prompt."),
});

/** A mapping as it is written. */
export type MappingSettings = z.input<typeof mapping>;
/** A mapping with its defaults. */
export type CheckedMapping = z.output<typeof mapping>;
