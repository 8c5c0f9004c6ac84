// What one attempt of a run came to. An agent gives the first two; the runner adds the others.

export type Outcome =
  | { kind: "replied"; reply: string }
  /** `mayPass`: a later attempt could succeed (network, 429, 5xx, a crash). A refusal may not. */
  | { kind: "failed"; reason: string; mayPass: boolean }
  | { kind: "timed-out"; afterSeconds: number }
  | { kind: "cancelled" };

export type AgentOutcome = Extract<Outcome, { kind: "replied" | "failed" }>;
