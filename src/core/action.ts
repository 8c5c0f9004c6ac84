// An action is what a request asks for, once it has been checked: leave a note, or run an agent.

export const wakeModes = ["now", "next-heartbeat"] as const;
export type WakeMode = (typeof wakeModes)[number];

export type WakeAction = { kind: "wake"; text: string; mode: WakeMode };

export type AgentAction = {
  kind: "agent";
  message: string;
  name: string | null;
  /** The agent id as it was written, trimmed; null when none was. */
  agentId: string | null;
  sessionKey: string | null;
  wakeMode: WakeMode;
  deliver: boolean;
  channel: string;
  to: string | null;
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number | null;
};

export type Action = WakeAction | AgentAction;
