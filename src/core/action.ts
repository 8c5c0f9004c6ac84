// An action is what a request asks for, once it has been checked: leave a note, or run an agent.

export const wakeModes = ["now", "next-heartbeat"] as const;
export type WakeMode = (typeof wakeModes)[number];

export type WakeAction = { kind: "wake"; text: string; mode: WakeMode };

/** What a run is asked to do: stored whole with it, so that nothing about it is lost on a restart. */
export type RunRequest = {
  message: string;
  name: string | null;
  wakeMode: WakeMode;
  deliver: boolean;
  channel: string;
  to: string | null;
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number | null;
};

export type AgentAction = RunRequest & {
  kind: "agent";
  /** The agent id as it was written, trimmed; null when none was. */
  agentId: string | null;
  sessionKey: string | null;
};

export type Action = WakeAction | AgentAction;
