// The outcome of one attempt of a run. An agent returns the first two kinds; the runner adds the others.

export type Outcome =
  | { kind: "replied"; reply: string; report?: AgentReport }
  /** `mayPass`: a later attempt could succeed (network, 429, 5xx, a crash). A refusal may not. */
  | { kind: "failed"; reason: string; mayPass: boolean; retryAfterMs?: number; report?: AgentReport }
  | { kind: "timed-out"; afterSeconds: number; report?: AgentReport }
  | { kind: "cancelled"; report?: AgentReport };

export type AgentOutcome = Extract<Outcome, { kind: "replied" | "failed" }>;

/** What an agent reports about a run besides its reply; unknown fields are left out. */
export type AgentReport = {
  readonly usage?: TokenUse;
  /** What it did differently than requested, in plain sentences. */
  readonly warnings?: readonly string[];
  /** Names of the tools that were called, each once. */
  readonly toolsUsed?: readonly string[];
  /** The agent's own session id, with which a later run continues the conversation. */
  readonly foreignSession?: string;
  /** A tool that changes something was called: a failed attempt is not retried. */
  readonly acted?: boolean;
};

export type TokenUse = { readonly inputTokens: number; readonly outputTokens: number };
