// The agent payload: a run of an agent. `policy.ts` decides whether its values are allowed.
import { type AgentAction, wakeModes } from "../../core/action.ts";
import type { CallbackTarget } from "../../core/callback.ts";
import { isRefusal, type Refusal } from "../../core/errors.ts";
import { outsideMessage } from "../../core/message.ts";
import { longestRunSeconds } from "../../core/run.ts";
import { sessionKeyFault } from "../../core/session-key.ts";
import { lastChannel } from "../../core/target.ts";
import { type Fields, readFields } from "./fields.ts";

const longest = { name: 500, agentId: 200, channel: 200, to: 500, model: 200, thinking: 32, callback: 64 };

/** Whether the caller waits for the end of the run. */
export const waitField = "waitForCompletion";

export function readAgent(payload: unknown): AgentAction | Refusal {
  const fields = readFields(payload);
  if (isRefusal(fields)) return fields;
  const action: AgentAction = {
    kind: "agent",
    message: outsideMessage("message", "request", fields.requiredText("message")),
    origin: "request",
    budget: null,
    unsafe: false,
    tools: null,
    fallback: null,
    deliverFailures: null,
    results: null,
    name: fields.text("name", longest.name),
    agentId: fields.text("agentId", longest.agentId),
    sessionKey: readSessionKey(fields),
    wakeMode: fields.choice("wakeMode", wakeModes),
    deliver: fields.flag("deliver", true),
    channel: fields.text("channel", longest.channel)?.toLowerCase() ?? lastChannel,
    to: fields.text("to", longest.to),
    model: fields.text("model", longest.model),
    thinking: readThinking(fields),
    timeoutSeconds: fields.number("timeoutSeconds", 0, longestRunSeconds),
    callback: readCallback(fields),
  };
  // Its value is read where the response is sent: see `hooks/wanted-result.ts`.
  fields.flag(waitField, false);
  return fields.refusal() ?? action;
}

/** Whether there is such a callback is decided by `policy.ts`. */
function readCallback(fields: Fields): CallbackTarget | null {
  const name = fields.text("callback", longest.callback);
  return name === null ? null : { name, to: null };
}

function readSessionKey(fields: Fields): string | null {
  const key = fields.text("sessionKey");
  const fault = key === null ? null : sessionKeyFault(key);
  if (fault !== null) fields.fault("sessionKey", fault);
  return key;
}

function readThinking(fields: Fields): string | null {
  const thinking = fields.text("thinking", longest.thinking);
  if (thinking !== null && /[\s\p{C}]/u.test(thinking)) fields.fault("thinking", "must be one word");
  return thinking;
}
