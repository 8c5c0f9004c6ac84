// A preset: a program's options, and the events it writes, one JSON object to a line.
import type { TokenUse } from "../../../core/outcome.ts";
import type { AgentEvent } from "../../agent.ts";
import { shownText } from "../../shown-text.ts";

export const thinkingLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

export type Preset = {
  readonly name: string;
  /** The provider in a model id, which the program's own model ids lack. */
  readonly maker: RegExp;
  /** Environment variables from which the program takes its keys and locations. */
  readonly env: readonly string[];
  /** The variable with the address of the model server, where the program takes it only as an option. */
  readonly addressVariable: string | null;
  /** The program's own word for each level of thinking that it has. */
  readonly efforts: Readonly<Partial<Record<ThinkingLevel, string>>>;
  argumentsFor(options: ProgramOptions): string[];
  readerFor(options: ProgramOptions): (seen: Seen, event: unknown) => Seen;
  /** Matches the program's message for a conversation that it no longer has. */
  readonly forgotten: RegExp;
};

export type ProgramOptions = {
  readonly model: string | null;
  /** The level of thinking in the program's own word. */
  readonly effort: string | null;
  /** The address of the model server, where it is given as an option. */
  readonly address: string | null;
  /** The program's name for the conversation, as an earlier run reported it. */
  readonly session: string | null;
  /** The arguments from the config. */
  readonly extra: readonly string[];
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** Whether it may change something: true unless the preset lists the tool as harmless. */
  readonly changes: boolean;
  /** The agent called it, and it did not run. */
  readonly refused: boolean;
};

/** What a program has reported so far. */
export type Seen = {
  /** What its last event told of text and tools. */
  readonly told: readonly AgentEvent[];
  readonly reply: string;
  readonly session: string | null;
  readonly usage: TokenUse | null;
  readonly warnings: readonly string[];
  readonly calls: readonly ToolCall[];
  /** Why the run failed, in the program's words; `status` is the model server's, where the program reported it. */
  readonly failure: { readonly message: string; readonly status: number | null } | null;
  /** The program reported the end of the run. */
  readonly ended: boolean;
};

export const nothingSeen: Seen = {
  told: [],
  reply: "",
  session: null,
  usage: null,
  warnings: [],
  calls: [],
  failure: null,
  ended: false,
};

const mostWarnings = 20;

export const addWarning = (seen: Seen, warning: string): Seen =>
  seen.warnings.length >= mostWarnings || seen.warnings.includes(warning)
    ? seen
    : { ...seen, warnings: [...seen.warnings, warning] };

/** Each addition looks through all of them. */
export const mostCalls = 5000;

const tell = (seen: Seen, event: AgentEvent): Seen => ({ ...seen, told: [...seen.told, event] });

/** `begins`: a text of its own, apart from what came before. */
export const tellText = (seen: Seen, text: string, begins: boolean): Seen =>
  tell(seen, { kind: "delta", text, begins });

/** A program reports a call again when it ends. */
export function addCall(seen: Seen, call: Omit<ToolCall, "refused">, input: unknown): Seen {
  if (seen.calls.length > mostCalls || seen.calls.some(({ id }) => id === call.id)) return seen;
  const calls = [...seen.calls, { ...call, refused: false }];
  const { id, name } = call;
  return tell(
    { ...seen, calls },
    { kind: "tool", state: "started", id, name, input: () => shownText(input) },
  );
}

export const endCall = (seen: Seen, id: string, ok: boolean | null, output?: unknown): Seen =>
  tell(seen, { kind: "tool", state: "ended", id, ok, output: () => shownText(output) });

export function refuseCall(before: Seen, refusedId: string): Seen {
  const seen = endCall(before, refusedId, false);
  const call = seen.calls.find(({ id }) => id === refusedId);
  if (call === undefined || call.refused) return seen;
  const calls = seen.calls.map((each) => (each === call ? { ...each, refused: true } : each));
  return addWarning({ ...seen, calls }, `The agent wanted to use ${call.name} and could not.`);
}
