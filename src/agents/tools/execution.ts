// How every tool is run: only with permission, not after the run was stopped, without throwing, and with no more text
// than a model should get at once.
import { orStopped } from "../../core/abort.ts";
import { cut } from "../../core/text.ts";
import { codeOf } from "../../core/errors.ts";
import type { OutsideTexts } from "../outside-texts.ts";
import { Refusal } from "./fault.ts";
import { type FencedResult, longestResult } from "./fenced.ts";

/** Our own words as a plain text; outside text with a label, to be fenced. `isFault`: the tool says that it failed. */
export type ToolResult = string | (FencedResult & { isFault?: boolean });

export type Work<Input> = (input: Input, signal: AbortSignal) => Promise<ToolResult>;

export type Gate = {
  signal: AbortSignal;
  onActing: () => Promise<boolean>;
  texts: Pick<OutsideTexts, "result">;
  /** The model gets a text for every call; this hears of the calls that did not do what they were for. */
  onFault?: (callId: string) => void;
};

const stopped = "This was stopped.";
const notAllowed = "This was not done: the run may not change anything any more. Do not try again.";

type Call = { abortSignal?: AbortSignal; toolCallId?: string };
type Result = { text: string; isFault: boolean };

export function execution<Input>(work: Work<Input>, gate: Gate, changes: boolean) {
  return async (input: Input, { abortSignal, toolCallId }: Call = {}): Promise<string> => {
    const signal = abortSignal ? AbortSignal.any([gate.signal, abortSignal]) : gate.signal;
    const { text, isFault } = await resultOf(work, input, { ...gate, signal }, changes);
    if (isFault && toolCallId !== undefined) gate.onFault?.(toolCallId);
    return text;
  };
}

async function resultOf<Input>(
  work: Work<Input>,
  input: Input,
  { signal, onActing, texts }: Gate,
  changes: boolean,
): Promise<Result> {
  try {
    signal.throwIfAborted();
    if (changes && !(await orStopped(mayAct(onActing), signal))) return fault(notAllowed);
    signal.throwIfAborted();
    const result = await orStopped(work(input, signal), signal);
    const text = await orStopped(presented(result, texts), signal);
    return { text, isFault: typeof result !== "string" && result.isFault === true };
  } catch (thrown) {
    if (signal.aborted) return fault(stopped);
    return fault(
      thrown instanceof Refusal
        ? await refusalText(thrown, texts)
        : `This could not be done: ${codeOf(thrown)}.`,
    );
  }
}

const fault = (text: string): Result => ({ text, isFault: true });

const refusalText = async ({ message, outside }: Refusal, texts: Gate["texts"]): Promise<string> =>
  outside === null ? message : texts.result({ says: message, label: "what was answered", outside });

const mayAct = (onActing: Gate["onActing"]): Promise<boolean> =>
  Promise.resolve()
    .then(onActing)
    .catch(() => false);

async function presented(result: ToolResult, texts: Gate["texts"]): Promise<string> {
  if (typeof result !== "string") return texts.result(result);
  if (result.length <= longestResult) return result;
  return `${cut(result, longestResult)}\n\n[Cut: ${longestResult} of ${result.length} characters are shown.]`;
}
