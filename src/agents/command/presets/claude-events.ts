// The events of Claude Code that are read, in the form in which it writes them.
import { z } from "zod";

const count = z.int().nonnegative();
const started = z.object({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });
const denied = z.object({
  type: z.literal("system"),
  subtype: z.literal("permission_denied"),
  tool_use_id: z.string(),
});
/** Null: of the agent itself, not of one that it has called. */
const caller = z.string().nullish().catch(null);
export const assistant = z.object({
  type: z.literal("assistant"),
  message: z.object({ content: z.array(z.unknown()) }),
  parent_tool_use_id: caller,
});
export const user = z.object({
  type: z.literal("user"),
  message: z.object({ content: z.array(z.unknown()) }),
});
export const partial = z.object({
  type: z.literal("stream_event"),
  event: z.union([
    z.object({
      type: z.literal("content_block_start"),
      content_block: z.object({ type: z.literal("text"), text: z.string() }),
    }),
    z.object({
      type: z.literal("content_block_delta"),
      delta: z.object({ type: z.literal("text_delta"), text: z.string() }),
    }),
  ]),
  parent_tool_use_id: caller,
});
export const text = z.object({ type: z.literal("text"), text: z.string() });
export const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown().optional(),
});
export const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish().catch(null),
});
export const result = z.object({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  session_id: z.string(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  api_error_status: z.number().nullish().catch(null),
  permission_denials: z.array(z.object({ tool_use_id: z.string() })).catch([]),
  usage: z
    .object({
      input_tokens: count,
      cache_creation_input_tokens: count.catch(0),
      cache_read_input_tokens: count.catch(0),
      output_tokens: count,
    })
    .optional()
    .catch(undefined),
});
export const event = z.union([partial, assistant, user, started, denied, result]);
