// Claude Code (`claude`). Its event stream needs `--verbose`; the plain `json` output names no tools.
import { z } from "zod";
import { addCall, addWarning, type Preset, refuseCall, type Seen } from "./preset.ts";

const count = z.int().nonnegative();
const started = z.object({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });
const denied = z.object({
  type: z.literal("system"),
  subtype: z.literal("permission_denied"),
  tool_use_id: z.string(),
});
const assistant = z.object({
  type: z.literal("assistant"),
  message: z.object({ content: z.array(z.unknown()) }),
});
const toolUse = z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string() });
const result = z.object({
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
const event = z.union([started, denied, assistant, result]);

const readOnly = new Set([
  "Read",
  "Glob",
  "Grep",
  "LS",
  "NotebookRead",
  "WebFetch",
  "WebSearch",
  "ToolSearch",
  "TodoWrite",
  "TaskGet",
  "TaskList",
  "ListAgents",
  "CronList",
]);

export const claude: Preset = {
  name: "claude",
  maker: /^anthropic\//,
  env: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
  ],
  addressVariable: null,
  efforts: { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "xhigh", max: "max" },
  argumentsFor: ({ model, effort, session, extra }) => [
    "-p",
    "--output-format=stream-json",
    "--verbose",
    ...(model === null ? [] : [`--model=${model}`]),
    ...(effort === null ? [] : [`--effort=${effort}`]),
    ...(session === null ? [] : [`--resume=${session}`]),
    ...extra,
  ],
  readerFor: () => (seen, written) => {
    const { data } = event.safeParse(written);
    if (data === undefined) return seen;
    if (data.type === "result") return readResult(seen, data);
    if (data.type === "assistant") return readAssistant(seen, data);
    return data.subtype === "init"
      ? { ...seen, session: data.session_id }
      : refuseCall(seen, data.tool_use_id);
  },
  forgotten: /no conversation found with session id/i,
};

const readAssistant = (seen: Seen, { message }: z.infer<typeof assistant>): Seen =>
  message.content
    .flatMap((part) => toolUse.safeParse(part).data ?? [])
    .reduce((so, { id, name }) => addCall(so, { id, name, changes: !readOnly.has(name) }), seen);

function readResult(before: Seen, data: z.infer<typeof result>): Seen {
  const { usage, result: reply = "", errors = [] } = data;
  const seen = data.permission_denials.reduce((so, { tool_use_id }) => refuseCall(so, tool_use_id), before);
  const failed = data.is_error || data.subtype !== "success";
  const message = reply.trim() || errors.join("; ") || data.subtype;
  const ended: Seen = {
    ...seen,
    ended: true,
    session: data.session_id,
    reply: failed ? "" : reply,
    usage: usage === undefined ? seen.usage : tokens(usage),
    failure: failed ? { message, status: data.api_error_status ?? null } : null,
  };
  return failed ? ended : errors.reduce(addWarning, ended);
}

const tokens = (usage: NonNullable<z.infer<typeof result>["usage"]>) => ({
  inputTokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
  outputTokens: usage.output_tokens,
});
