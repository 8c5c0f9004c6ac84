// Claude Code (`claude`). Its event stream needs `--verbose`; the plain `json` output names no tools. With partial
// messages its text comes as it is written; an older one that does not send them tells whole messages.
import type { z } from "zod";
import { assistant, event, partial, result, text, toolResult, toolUse, user } from "./claude-events.ts";
import { addCall, addWarning, endCall, type Preset, refuseCall, type Seen, tellText } from "./preset.ts";

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
    "--include-partial-messages",
    ...(model === null ? [] : [`--model=${model}`]),
    ...(effort === null ? [] : [`--effort=${effort}`]),
    ...(session === null ? [] : [`--resume=${session}`]),
    ...extra,
  ],
  readerFor() {
    let isPartial = false;
    return (seen, written) => {
      const { data } = event.safeParse(written);
      switch (data?.type) {
        case undefined:
          return seen;
        case "stream_event":
          isPartial = true;
          return readPartial(seen, data);
        case "assistant":
          return readAssistant(seen, data, isPartial);
        case "user":
          return readUser(seen, data);
        case "system":
          return data.subtype === "init"
            ? { ...seen, session: data.session_id }
            : refuseCall(seen, data.tool_use_id);
        case "result":
          return readResult(seen, data);
      }
    };
  },
  forgotten: /no conversation found with session id/i,
};

function readPartial(seen: Seen, { event, parent_tool_use_id }: z.infer<typeof partial>): Seen {
  if (parent_tool_use_id != null) return seen;
  return event.type === "content_block_start"
    ? tellText(seen, event.content_block.text, true)
    : tellText(seen, event.delta.text, false);
}

/** Text that came in parts before is not told again. */
function readAssistant(
  before: Seen,
  { message, parent_tool_use_id }: z.infer<typeof assistant>,
  isPartial: boolean,
): Seen {
  const isTold = isPartial || parent_tool_use_id != null;
  return message.content.reduce<Seen>((seen, part) => {
    const call = toolUse.safeParse(part).data;
    if (call) {
      const { id, name, input } = call;
      return addCall(seen, { id, name, changes: !readOnly.has(name) }, input);
    }
    const said = isTold ? undefined : text.safeParse(part).data;
    return said ? tellText(seen, said.text, true) : seen;
  }, before);
}

const readUser = (before: Seen, { message }: z.infer<typeof user>): Seen =>
  message.content
    .flatMap((part) => toolResult.safeParse(part).data ?? [])
    .reduce(
      (seen, { tool_use_id: id, is_error, content }) => endCall(seen, id, is_error !== true, content),
      before,
    );

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
