// What one attempt of a run came to. An agent gives the first two; the runner adds the others.

export type Outcome =
  | { kind: "replied"; reply: string; report?: AgentReport }
  /** `mayPass`: a later attempt could succeed (network, 429, 5xx, a crash). A refusal may not. */
  | { kind: "failed"; reason: string; mayPass: boolean; retryAfterMs?: number; report?: AgentReport }
  | { kind: "timed-out"; afterSeconds: number; report?: AgentReport }
  | { kind: "cancelled"; report?: AgentReport };

export type AgentOutcome = Extract<Outcome, { kind: "replied" | "failed" }>;

/** What an agent can say about a turn beyond its reply; whatever it cannot say is left out. */
export type AgentReport = {
  readonly usage?: TokenUse;
  /** What was done otherwise than asked, in plain sentences. */
  readonly warnings?: readonly string[];
  /** Names of the tools that were called, each once. */
  readonly toolsUsed?: readonly string[];
  /** The agent's own name for the conversation, with which a later turn continues it. */
  readonly foreignSession?: string;
  /** A tool that changes something has run: a failed attempt is not tried again. */
  readonly acted?: boolean;
};

export type TokenUse = { readonly inputTokens: number; readonly outputTokens: number };
