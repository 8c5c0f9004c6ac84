// What is known of a program that is an agent: its options, and the events it writes, one JSON object to a line.
import type { TokenUse } from "../../../core/outcome.ts";

export const thinkingLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

export type Preset = {
  readonly name: string;
  /** Stands before the slash of a model id and is not part of the program's own. */
  readonly maker: RegExp;
  /** Environment variables the program takes its keys and places from. */
  readonly env: readonly string[];
  /** What the program calls each level of thinking it takes. */
  readonly efforts: Readonly<Partial<Record<ThinkingLevel, string>>>;
  argumentsFor(asked: Asked): string[];
  readerFor(asked: Asked): (seen: Seen, event: unknown) => Seen;
  /** How it says that it does not have the conversation it was to continue. */
  readonly forgotten: RegExp;
};

export type Asked = {
  readonly model: string | null;
  /** In the program's own word. */
  readonly effort: string | null;
  /** What an earlier turn reported as the conversation's name. */
  readonly session: string | null;
  /** The arguments from the config. */
  readonly extra: readonly string[];
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** It may change something: known not to are only the tools on a preset's list. */
  readonly changes: boolean;
  /** It was asked for and did not run. */
  readonly refused: boolean;
};

/** What a program has said so far. */
export type Seen = {
  readonly reply: string;
  readonly session: string | null;
  readonly usage: TokenUse | null;
  readonly warnings: readonly string[];
  readonly calls: readonly ToolCall[];
  /** It said that the turn failed, and why; `status` is that of the model server where it told. */
  readonly failure: { readonly message: string; readonly status: number | null } | null;
  /** It said that the turn is over. */
  readonly ended: boolean;
};

export const nothingSeen: Seen = {
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

/** A call that is known already is told again with its end. */
export const addCall = (seen: Seen, call: Omit<ToolCall, "refused">): Seen =>
  seen.calls.some(({ id }) => id === call.id)
    ? seen
    : { ...seen, calls: [...seen.calls, { ...call, refused: false }] };

export function refuseCall(seen: Seen, refusedId: string): Seen {
  const call = seen.calls.find(({ id }) => id === refusedId);
  if (call === undefined || call.refused) return seen;
  const calls = seen.calls.map((each) => (each === call ? { ...each, refused: true } : each));
  return addWarning({ ...seen, calls }, `The agent wanted to use ${call.name} and could not.`);
}
