// Codex (`codex exec`). It counts tokens over the whole thread, so the use of earlier runs is kept in the name of
// the conversation: `THREAD:INPUT:OUTPUT`. Its `error` items are remarks, and its `error` events may be followed by
// another try; only `turn.failed`, or an end without `turn.completed`, is a failure.
import { z } from "zod";
import type { TokenUse } from "../../../core/outcome.ts";
import { addCall, addWarning, endCall, type Preset, type Seen, tellText } from "./preset.ts";

const count = z.int().nonnegative();
const started = z.object({ type: z.literal("thread.started"), thread_id: z.string() });
const item = z.object({
  type: z.enum(["item.started", "item.updated", "item.completed"]),
  item: z.object({
    id: z.string(),
    type: z.string(),
    text: z.string().optional(),
    message: z.string().optional(),
    server: z.string().optional(),
    tool: z.string().optional(),
    status: z.string().optional().catch(undefined),
    command: z.unknown().optional(),
    arguments: z.unknown().optional(),
    changes: z.unknown().optional(),
    query: z.unknown().optional(),
    aggregated_output: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.unknown().optional(),
  }),
});
const completed = z.object({
  type: z.literal("turn.completed"),
  usage: z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined),
});
const failed = z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) });
const trouble = z.object({ type: z.literal("error"), message: z.string() });
const event = z.union([started, item, completed, failed, trouble]);

const noTools = new Set(["agent_message", "user_message", "reasoning", "todo_list", "error"]);
const sandboxed = new Set(["command_execution", "file_change"]);

const choosesSandbox =
  /^(-s|--sandbox|--approve-for-me|--full-auto|--dangerously-bypass-approvals-and-sandbox)|^(--config=|-c=?)?sandbox_mode\b/;

/** Its sandbox is read-only unless the config chooses another. */
const isReadOnly = (extra: readonly string[]): boolean => !extra.some((each) => choosesSandbox.test(each));

export const codex: Preset = {
  name: "codex",
  maker: /^openai\//,
  env: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
  // It no longer reads the variable.
  addressVariable: "OPENAI_BASE_URL",
  efforts: {
    none: "none",
    minimal: "minimal",
    low: "low",
    medium: "medium",
    high: "high",
    xhigh: "xhigh",
    max: "xhigh",
  },
  argumentsFor: ({ model, effort, address, session, extra }) => [
    "exec",
    "--json",
    "--skip-git-repo-check",
    ...(isReadOnly(extra) ? ["--sandbox=read-only"] : []),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(effort === null ? [] : [`--config=model_reasoning_effort="${effort}"`]),
    // A JSON text is a TOML text.
    ...(address === null ? [] : [`--config=openai_base_url=${JSON.stringify(address)}`]),
    ...extra,
    ...(session === null ? [] : ["resume", threadOf(session).thread]),
    "-",
  ],
  readerFor({ session, extra }) {
    const before = session === null ? nothingUsed : threadOf(session).used;
    const harmless = isReadOnly(extra) ? sandboxed : new Set<string>();
    return (seen, written) => {
      const { data } = event.safeParse(written);
      if (data === undefined) return seen;
      switch (data.type) {
        case "thread.started":
          return { ...seen, session: data.thread_id };
        case "turn.completed":
          return readCompleted(seen, data.usage, before);
        case "turn.failed":
          return { ...seen, failure: { message: data.error.message, status: null }, ended: true };
        case "error":
          return { ...seen, failure: { message: data.message, status: null } };
        case "item.started":
        case "item.updated":
        case "item.completed":
          return readItem(seen, data, harmless);
      }
    };
  },
  forgotten: /no rollout found for thread id/i,
};

function readItem(
  seen: Seen,
  { type: stage, item: reported }: z.infer<typeof item>,
  harmless: ReadonlySet<string>,
): Seen {
  const { id, type, text, message, server, tool } = reported;
  const isDone = stage === "item.completed";
  if (type === "agent_message") {
    if (text === undefined) return seen;
    const said = { ...seen, reply: text };
    return isDone ? tellText(said, text, true) : said;
  }
  if (type === "error") return message === undefined ? seen : addWarning(seen, message);
  if (noTools.has(type)) return seen;
  const name = server === undefined || tool === undefined ? type : `${server}/${tool}`;
  const changes = type !== "web_search" && !harmless.has(type);
  const called = addCall(seen, { id, name, changes }, inputOf(reported));
  return isDone ? endCall(called, id, isOk(reported), outputOf(reported)) : called;
}

type Reported = z.infer<typeof item>["item"];

const inputOf = ({ command, arguments: given, changes, query }: Reported): unknown =>
  command ?? given ?? changes ?? query ?? "";
const outputOf = ({ aggregated_output: output, result, error }: Reported): unknown =>
  output ?? result ?? error ?? "";
const isOk = ({ status }: Reported): boolean | null => (status === undefined ? null : status === "completed");

function readCompleted(
  seen: Seen,
  total: { input_tokens: number; output_tokens: number } | undefined,
  before: TokenUse,
): Seen {
  const over = { ...seen, failure: null, ended: true };
  if (total === undefined) return over;
  const all: TokenUse = { inputTokens: total.input_tokens, outputTokens: total.output_tokens };
  const session = seen.session === null ? null : `${seen.session}:${all.inputTokens}:${all.outputTokens}`;
  return { ...over, session, usage: since(before, all) };
}

const nothingUsed: TokenUse = { inputTokens: 0, outputTokens: 0 };

/** A total below the earlier one shows that it was not counted over the thread. */
function since(before: TokenUse, all: TokenUse): TokenUse {
  const inputTokens = all.inputTokens - before.inputTokens;
  const outputTokens = all.outputTokens - before.outputTokens;
  return inputTokens < 0 || outputTokens < 0 ? all : { inputTokens, outputTokens };
}

function threadOf(session: string): { thread: string; used: TokenUse } {
  const [thread = "", input = "0", output = "0"] = session.split(":");
  return { thread, used: { inputTokens: Number(input) || 0, outputTokens: Number(output) || 0 } };
}
