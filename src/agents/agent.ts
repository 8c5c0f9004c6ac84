// The agent port: who can answer.
import type { AgentOutcome } from "../core/outcome.ts";

export type Turn = {
  runId: string;
  agentId: string;
  sessionKey: string;
  /** The whole prompt, as the model is to see it. */
  prompt: string;
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number;
};

/**
 * The contract, held by `agent.contract.ts`:
 * - `run` never throws: a failure is an outcome.
 * - When `signal` fires, whatever was started is stopped, and `run` resolves within a few seconds.
 * - It decides no retries and reads no clock; it says whether a failure may pass.
 */
export type Agent = {
  run(turn: Turn, signal: AbortSignal): Promise<AgentOutcome>;
};
