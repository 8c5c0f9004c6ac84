// The calls of tools in one attempt, as its agent tells them: what is kept of them, and what is told on. An agent can
// tell anything, so names, texts and numbers of calls are bounded here.
import type { AgentEvent } from "../agents/agent.ts";
import type { ToolCall } from "../core/attempt-record.ts";
import type { LiveEvent } from "../core/live.ts";
import { cutWithMark, oneLine } from "../core/text.ts";

type ToolEvent = Extract<AgentEvent, { kind: "tool" }>;
type LiveTool = Extract<LiveEvent, { kind: "tool" }>;
type Open = { -readonly [Key in keyof ToolCall]: ToolCall[Key] };

export type ToolCalls = {
  /** Null: it is not told on. */
  take(event: ToolEvent): LiveTool | null;
  list(): readonly ToolCall[];
  /** Null, or that not all of them are kept. */
  warning(): string | null;
};

const mostKept = 200;
/** As many as an agent may make. */
const mostTold = 5000;
/** In characters. */
const longest = { name: 200, id: 1000, text: 4096 };

/** `elapsedMs`: since the attempt began. `keepsTexts`: inputs and outputs are kept, too. */
export function createToolCalls(elapsedMs: () => number, keepsTexts: boolean): ToolCalls {
  const kept: Open[] = [];
  const open = new Map<string, Open>();
  let count = 0;
  const textOf = (text: (() => string) | undefined) =>
    keepsTexts && text ? cutWithMark(text(), longest.text) : null;

  function start({ id, name, input }: Extract<ToolEvent, { state: "started" }>): LiveTool | null {
    count++;
    if (count > mostTold) return null;
    const isKept = kept.length < mostKept;
    const call: Open = {
      name: cutWithMark(oneLine(name), longest.name) || "unnamed",
      atMs: elapsedMs(),
      tookMs: null,
      ok: null,
      input: isKept ? textOf(input) : null,
      output: null,
    };
    open.set(id.slice(0, longest.id), call);
    if (isKept) kept.push(call);
    return { kind: "tool", name: call.name, state: "started", ms: null, ok: null };
  }

  /** An end without a beginning, or a second one, says nothing. */
  function end({ id, ok, output }: Extract<ToolEvent, { state: "ended" }>): LiveTool | null {
    const key = id.slice(0, longest.id);
    const call = open.get(key);
    if (!call) return null;
    open.delete(key);
    const tookMs = elapsedMs() - call.atMs;
    Object.assign(call, { tookMs, ok, output: textOf(output) });
    return { kind: "tool", name: call.name, state: "ended", ms: tookMs, ok };
  }

  return {
    take: (event) => (event.state === "started" ? start(event) : end(event)),
    list: () => kept.map((call) => ({ ...call })),
    warning: () =>
      count > kept.length ? `Of ${count} calls of tools, the first ${kept.length} are kept.` : null,
  };
}
