// Checks an action against the operator's policy: its session key, agent, model, channel and callback, in this order.
import type { Action, AgentAction, WakeAction } from "../core/action.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import { resolveModel } from "../core/model.ts";
import { sessionKeyRefusal } from "../core/session-key.ts";
import type { HookSettings } from "./settings.ts";

/** An allowed action, with its model's full id and the agent that will run it. */
export type AllowedAgentAction = { readonly action: AgentAction; readonly agentId: string };

/** A wake needs no permission. */
export type Allowed = WakeAction | AllowedAgentAction;

export type PolicySettings = Pick<
  HookSettings,
  | "sessionKeys"
  | "allowedAgentIds"
  | "agentIds"
  | "defaultAgentId"
  | "refusesUnknownAgents"
  | "models"
  | "channels"
  | "callbacks"
>;

export const allow = (action: Action, settings: PolicySettings): Allowed | Refusal =>
  action.kind === "agent" ? applyPolicy(action, settings) : action;

/** A request may name only callbacks that need nothing from it; what a mapping names was checked with the configuration. */
const mayCallBack = ({ callback, origin }: AgentAction, { callbacks }: PolicySettings): boolean =>
  callback === null || origin === "mapping" || callbacks.get(callback.name)?.format === "standard";

export function applyPolicy(action: AgentAction, settings: PolicySettings): AllowedAgentAction | Refusal {
  if (action.sessionKey !== null) {
    const code = sessionKeyRefusal(action.sessionKey, action.origin, settings.sessionKeys);
    if (code !== null) return refuse(code);
  }

  const wanted = action.agentId?.toLowerCase() ?? null;
  if (wanted !== null && settings.allowedAgentIds !== null && !settings.allowedAgentIds.has(wanted)) {
    return refuse("agent-not-allowed");
  }
  const isUnknown = wanted !== null && !settings.agentIds.has(wanted);
  if (isUnknown && settings.refusesUnknownAgents) return refuse("agent-unknown");

  const model = action.model === null ? null : resolveModel(action.model, settings.models);
  if (action.model !== null && model === null) return refuse("model-not-allowed");

  if (!settings.channels.has(action.channel)) return refuse("channel-unknown");
  if (!mayCallBack(action, settings)) return refuse("callback-unknown");

  const agentId = wanted === null || isUnknown ? settings.defaultAgentId : wanted;
  return { action: model === action.model ? action : { ...action, model }, agentId };
}
