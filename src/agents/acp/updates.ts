// Follows an agent's text and tool calls by its notifications. Unknown ones are ignored.
import { z } from "zod";
import type { AgentReport } from "../../core/outcome.ts";
import type { AgentEvent, AgentInput } from "../agent.ts";
import { shownText } from "../shown-text.ts";
import { TooLarge } from "../../core/response-body.ts";
import { cut, oneLine } from "../../core/text.ts";

export type Call = {
  kind: string;
  name: string | null;
  status: string;
  verdict: "allowed" | "refused" | null;
};

export type Updates = {
  /** Counts notifications from now on: a session that was loaded has repeated its history before. */
  follow(sessionId: string): void;
  take(notification: unknown): void;
  /** The number of notifications. */
  count(): number;
  /** The state of a call, with what a request for permission adds. */
  call(update: CallUpdate): Call;
  /** Text after the last call of a tool. */
  reply(): string;
  report(): Pick<AgentReport, "toolsUsed" | "acted" | "warnings">;
};

export type UpdatesOptions = {
  longestReply: number;
  /** Called once for each tool call that changes something, when it starts, whether or not it asked for permission. */
  onActing: () => void;
  onTooMuch: (fault: TooLarge) => void;
  onEvent?: AgentInput["onEvent"];
};

const optional = z.string().nullish().catch(null);
const callUpdate = z.object({
  sessionUpdate: z.enum(["tool_call", "tool_call_update"]),
  toolCallId: z.string(),
  kind: optional,
  name: optional,
  status: optional,
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.unknown().optional(),
});
const chunk = z.object({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.object({ type: z.literal("text"), text: z.string() }),
});
const notified = z.object({ sessionId: z.string(), update: z.union([chunk, callUpdate]) });

type CallUpdate = {
  toolCallId: string;
  kind?: string | null | undefined;
  name?: string | null | undefined;
  status?: string | null | undefined;
  rawInput?: unknown;
  rawOutput?: unknown;
  content?: unknown;
};

/** `other` is any tool the protocol has no word for, such as those of an MCP server: it may change something. */
const changing = new Set(["edit", "delete", "move", "execute", "other"]);
export const changes = (kind: string): boolean => changing.has(kind);

const longestName = 100;
/** Of an id, and of any other word that is kept of a call. */
const longestWord = 1000;
const mostCalls = 5000;

export function createUpdates({
  longestReply,
  onActing,
  onTooMuch,
  onEvent = () => {},
}: UpdatesOptions): Updates {
  const calls = new Map<string, Call>();
  let session: string | null = null;
  let text = "";
  let count = 0;

  const call = (update: CallUpdate): Call => {
    const { toolCallId, kind, name, status } = update;
    const id = toolCallId.slice(0, longestWord);
    const before = calls.get(id);
    const known = before ?? { kind: "other", name: null, status: "pending", verdict: null };
    calls.set(id, known);
    const wasOver = isOver(known);
    known.kind = kind?.slice(0, longestWord) ?? known.kind;
    known.name = name?.slice(0, longestWord) ?? known.name;
    known.status = status?.slice(0, longestWord) ?? known.status;
    if (calls.size > mostCalls) onTooMuch(new TooLarge("the run", mostCalls, "calls of tools"));
    if (before === undefined) onEvent(startOf(id, known, update));
    if (isOver(known) && !wasOver) onEvent(endOf(id, known, update));
    return known;
  };

  return {
    follow: (sessionId) => void (session = sessionId),
    call,
    count: () => count,
    take(notification) {
      count++;
      const { data } = notified.safeParse(notification);
      if (data === undefined || data.sessionId !== session) return;
      const { update } = data;
      if (update.sessionUpdate === "agent_message_chunk") {
        onEvent({ kind: "delta", text: update.content.text, begins: text === "" });
        text += update.content.text;
        if (text.length > longestReply)
          onTooMuch(new TooLarge("the agent's reply", longestReply, "characters"));
        return;
      }
      if (update.sessionUpdate === "tool_call") text = "";
      const before = calls.get(update.toolCallId.slice(0, longestWord));
      const hadActed = before !== undefined && hasActed(before);
      if (hasActed(call(update)) && !hadActed) onActing();
    },
    reply: () => text.trim(),
    report: () => reportOf([...calls.values()]),
  };
}

const isOver = ({ status }: Call): boolean => status === "completed" || status === "failed";

const startOf = (id: string, { name, kind }: Call, { rawInput }: CallUpdate): AgentEvent => ({
  kind: "tool",
  state: "started",
  id,
  name: name ?? kind,
  input: () => shownText(rawInput ?? ""),
});

const endOf = (id: string, { status }: Call, { rawOutput, content }: CallUpdate): AgentEvent => ({
  kind: "tool",
  state: "ended",
  id,
  ok: status === "completed",
  output: () => shownText(rawOutput ?? content ?? ""),
});

/** A refused call that is reported as failed has not run; any other failed call may have done half its work. */
const hasActed = ({ kind, status, verdict }: Call): boolean =>
  changes(kind) &&
  (verdict === "allowed" || status === "completed" || (status !== "pending" && verdict !== "refused"));

function reportOf(calls: readonly Call[]): ReturnType<Updates["report"]> {
  const used = calls.filter(({ verdict, status }) => verdict !== "refused" || status === "completed");
  const refused = new Set(calls.filter(({ verdict }) => verdict === "refused").map(({ kind }) => kind));
  const toolsUsed = new Set(used.map(({ kind, name }) => cut(oneLine(name ?? kind), longestName)));
  return {
    ...(toolsUsed.size > 0 ? { toolsUsed: [...toolsUsed] } : {}),
    ...(calls.some(hasActed) ? { acted: true } : {}),
    ...(refused.size > 0 ? { warnings: [...refused].map(refusal) } : {}),
  };
}

const refusal = (kind: string): string =>
  `The agent asked for permission (${cut(oneLine(kind), longestName)}) and was refused.`;
