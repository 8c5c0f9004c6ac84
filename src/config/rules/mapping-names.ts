// What mappings name: agents, channels, and the hook itself. A name that leads elsewhere than meant must not go unseen.
import { nearest } from "../../core/nearest.ts";
import { platforms } from "../../core/target.ts";
import { type MappingConfig, soleAgentId } from "../config.ts";
import type { Finding } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

/** Whether `hooks.allowedAgentIds` allows the mapping its agent. */
export function mayNameAgent(
  { agentId }: MappingConfig,
  { allowedAgentIds: allowed }: Settings["hooks"],
): boolean {
  return agentId === null || !allowed || allowed.includes("*") || allowed.includes(agentId.toLowerCase());
}

/** A mistyped id must not go unseen: the agent that was meant may be the restricted one. */
export function unknownAgent(mapping: MappingConfig, { hooks, agents }: Settings): Finding[] {
  const { agentId } = mapping;
  const known = agents.list.length > 0 ? agents.list.map(({ id }) => id) : [soleAgentId];
  if (agentId === null || known.includes(agentId.toLowerCase())) return [];
  const isRefused = agents.unknown === "refuse";
  if (!isRefused && !mayNameAgent(mapping, hooks)) return [];
  const path = ["hooks", "mappings", mapping.origin, "agentId"];
  const isTemplate = /\{[{%]/.test(agentId);
  const near = isTemplate ? null : nearest(agentId, known);
  const standIn = agents.list.find((agent) => agent.default)?.id ?? known[0];
  const subject = isTemplate ? "is no template, and the id of no agent" : "is the id of no agent";
  const consequence = isRefused ? "" : `: the default agent, ${standIn}, runs instead`;
  const suggestion = near === null ? "" : `; did you mean ${near}?`;
  const way = isTemplate ? ". A transform can set it for each request" : suggestion;
  return [{ path, message: `${subject}${consequence}${way}` }];
}

/** A plugin's name is only known when it is loaded, and then the channel is configured. */
export function unconfiguredChannels(
  { origin, deliver, channel, fallback }: MappingConfig,
  settings: Settings,
): Finding[] {
  const { plugins, ...configured } = settings.channels;
  if (!deliver || plugins.length > 0) return [];
  const named = [
    { name: channel, path: ["channel"] },
    { name: fallback?.channel ?? null, path: ["fallback", "channel"] },
  ];
  return named.flatMap(({ name, path }) => {
    const isPlatform = platforms.some((each) => each === name);
    if (name === null || !isPlatform || Object.hasOwn(configured, name)) return [];
    const message = `is not configured: nothing can be sent there. Set channels.${name}`;
    return [{ path: ["hooks", "mappings", origin, ...path], message }];
  });
}

/** What is left of a name when the path of the hooks is taken from its front; null when it is not there. */
export function nameBelow(hooksPath: string, name: string): string | null {
  const prefix = `${hooksPath.slice(1)}/`;
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : null;
}
