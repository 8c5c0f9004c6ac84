// The wake payload: a note for the main session.
import { type WakeAction, wakeModes } from "../../core/action.ts";
import { isRefusal, type Refusal } from "../../core/errors.ts";
import { outsideMessage } from "../../core/message.ts";
import { readFields } from "./fields.ts";

export function readWake(payload: unknown): WakeAction | Refusal {
  const fields = readFields(payload);
  if (isRefusal(fields)) return fields;
  const action: WakeAction = {
    kind: "wake",
    text: outsideMessage("text", "request", fields.requiredText("text")),
    mode: fields.choice("mode", wakeModes),
  };
  return fields.refusal() ?? action;
}
