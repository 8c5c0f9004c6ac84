// Checks an action against the operator's policy: its session key, agent, model and channel, in this order.
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
>;

export const allow = (action: Action, settings: PolicySettings): Allowed | Refusal =>
  action.kind === "agent" ? applyPolicy(action, settings) : action;

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

  const agentId = wanted === null || isUnknown ? settings.defaultAgentId : wanted;
  return { action: model === action.model ? action : { ...action, model }, agentId };
}
