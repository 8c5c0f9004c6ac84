// How every tool is run: only with permission, not after the run was stopped, without throwing, and with no more text
// than a model should get at once.
import { orStopped } from "../../core/abort.ts";
import { cut } from "../../core/text.ts";
import { codeOf } from "../../core/errors.ts";
import type { OutsideTexts } from "../outside-texts.ts";
import { Refusal } from "./fault.ts";
import { type FencedResult, longestResult } from "./fenced.ts";

/** Our own words as a plain text; outside text with a label, to be fenced. */
export type ToolResult = string | FencedResult;

export type Work<Input> = (input: Input, signal: AbortSignal) => Promise<ToolResult>;

export type Gate = {
  signal: AbortSignal;
  onActing: () => Promise<boolean>;
  texts: Pick<OutsideTexts, "result">;
};

const stopped = "This was stopped.";
const notAllowed = "This was not done: the run may not change anything any more. Do not try again.";

export function execution<Input>(
  work: Work<Input>,
  { signal: run, onActing, texts }: Gate,
  changes: boolean,
) {
  return async (input: Input, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<string> => {
    const signal = abortSignal ? AbortSignal.any([run, abortSignal]) : run;
    try {
      signal.throwIfAborted();
      if (changes && !(await orStopped(mayAct(onActing), signal))) return notAllowed;
      signal.throwIfAborted();
      return await orStopped(presented(await orStopped(work(input, signal), signal), texts), signal);
    } catch (fault) {
      if (signal.aborted) return stopped;
      return fault instanceof Refusal
        ? await refusalText(fault, texts)
        : `This could not be done: ${codeOf(fault)}.`;
    }
  };
}

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
