// Gemini CLI (`gemini`). Without `-p` it takes its prompt from a standard input that is no terminal. Outside of its
// trusted folders it would not run at all, hence `--skip-trust`; tools that change something stay off all the same.
import { z } from "zod";
import { addCall, addWarning, endCall, type Preset, refuseCall, type Seen, tellText } from "./preset.ts";

const count = z.int().nonnegative();
const started = z.object({ type: z.literal("init"), session_id: z.string() });
const message = z.object({
  type: z.literal("message"),
  role: z.string(),
  content: z.string(),
  delta: z.boolean().optional(),
});
const toolUse = z.object({
  type: z.literal("tool_use"),
  tool_name: z.string(),
  tool_id: z.string(),
  parameters: z.unknown().optional(),
});
const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_id: z.string(),
  status: z.string().optional().catch(undefined),
  output: z.unknown().optional(),
  error: z.object({ type: z.string(), message: z.string().optional() }).optional().catch(undefined),
});
const remark = z.object({ type: z.literal("error"), message: z.string() });
const result = z.object({
  type: z.literal("result"),
  status: z.string(),
  error: z.object({ message: z.string() }).optional().catch(undefined),
  stats: z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined),
});
const event = z.union([started, message, toolUse, toolResult, remark, result]);

const readOnly = new Set([
  "read_file",
  "read_many_files",
  "list_directory",
  "glob",
  "grep_search",
  "search_file_content",
  "google_web_search",
  "web_fetch",
  "write_todos",
  "update_topic",
  "get_internal_docs",
]);
const notRun = new Set(["tool_not_registered", "invalid_tool_params", "policy_violation"]);

export const gemini: Preset = {
  name: "gemini",
  maker: /^(google|gemini)\//,
  env: [
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ],
  addressVariable: null,
  efforts: {},
  argumentsFor: ({ model, session, extra }) => [
    "--skip-trust",
    "--output-format=stream-json",
    ...(model === null ? [] : [`--model=${model}`]),
    ...(session === null ? [] : [`--resume=${session}`]),
    ...extra,
  ],
  readerFor: () => readEvent,
  forgotten: /error resuming session/i,
};

function readEvent(seen: Seen, written: unknown): Seen {
  const { data } = event.safeParse(written);
  switch (data?.type) {
    case undefined:
      return seen;
    case "init":
      return { ...seen, session: data.session_id };
    case "message":
      if (data.role !== "assistant") return seen;
      return tellText(
        { ...seen, reply: data.delta ? seen.reply + data.content : data.content },
        data.content,
        !data.delta || seen.reply === "",
      );
    case "tool_use":
      // The reply is what comes after the last tool.
      return addCall(
        { ...seen, reply: "" },
        { id: data.tool_id, name: data.tool_name, changes: !readOnly.has(data.tool_name) },
        data.parameters,
      );
    case "tool_result":
      return data.error && notRun.has(data.error.type)
        ? refuseCall(seen, data.tool_id)
        : endCall(seen, data.tool_id, isOk(data), data.output ?? data.error?.message ?? "");
    case "error":
      return addWarning(seen, data.message);
    case "result":
      return readResult(seen, data);
  }
}

const isOk = ({ status, error }: z.infer<typeof toolResult>): boolean | null =>
  status === undefined ? error === undefined : status === "success";

function readResult(seen: Seen, { status, error, stats }: z.infer<typeof result>): Seen {
  const usage = stats && { inputTokens: stats.input_tokens, outputTokens: stats.output_tokens };
  const over = { ...seen, ended: true, usage: usage ?? seen.usage };
  if (status === "success") return over;
  return { ...over, failure: { message: error?.message ?? status, status: null } };
}
