// An action is what a request asks for, once it has been checked: leave a note, or run an agent.
import type { Message } from "./message.ts";
import type { WantedTarget } from "./target.ts";
import type { ToolGrant } from "./tool.ts";

export const wakeModes = ["now", "next-heartbeat"] as const;
export type WakeMode = (typeof wakeModes)[number];

export type WakeAction = { kind: "wake"; text: Message; mode: WakeMode };

/** What a run is asked to do: stored whole with it, so that nothing about it is lost on a restart. */
export type RunRequest = {
  message: Message;
  /** The mapping lifts the safety boundary from this run's prompt. */
  unsafe: boolean;
  name: string | null;
  wakeMode: WakeMode;
  deliver: boolean;
  channel: string;
  to: string | null;
  /** Where the reply goes when that cannot be had; null: as the agent says. */
  fallback: WantedTarget | null;
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number | null;
  /** What its agent may use beyond reading. */
  tools: ToolGrant;
  /** Where its trace goes on (`core/trace.ts`). */
  trace: string | null;
};

export type AgentAction = Omit<RunRequest, "tools" | "trace"> & {
  kind: "agent";
  /** Null: as the hooks are given by default. */
  tools: ToolGrant | null;
  /** The agent id as it was written, trimmed; null when none was. */
  agentId: string | null;
  sessionKey: string | null;
};

export type Action = WakeAction | AgentAction;
