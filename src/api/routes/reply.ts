// An action's result as a response.
import { type Refusal, refuse } from "../../core/errors.ts";
import type { ActionResult } from "../actions/result.ts";
import { type JsonReply, ok } from "../frame/route.ts";

export const replyOf = (result: ActionResult): JsonReply | Refusal =>
  result.done ? ok(result.value) : refuse(result.code, { detail: result.sentence });
