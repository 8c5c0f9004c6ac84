// What an operator's action led to: a sentence for a person, and a value for a program. Commands print it, and the admin
// API answers with it.
import { type ErrorCode, UsageError } from "../../core/errors.ts";

export type Done = { done: true; sentence: string; value: Readonly<Record<string, unknown>> };
export type NotDone = { done: false; code: ErrorCode; sentence: string };
export type ActionResult = Done | NotDone;

export const done = (sentence: string, value: Done["value"]): Done => ({ done: true, sentence, value });
export const unknown = (sentence: string): NotDone => ({ done: false, code: "unknown-item", sentence });
export const conflict = (sentence: string): NotDone => ({ done: false, code: "conflict", sentence });

/** For a command: throws where it was not done. */
export function doneOrThrow(result: ActionResult): Done {
  if (!result.done) throw new UsageError(result.sentence);
  return result;
}
