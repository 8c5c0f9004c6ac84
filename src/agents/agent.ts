// The agent port: takes a prompt and gives a reply.
import type { AgentOutcome } from "../core/outcome.ts";
import type { Data } from "../untrusted/prepare.ts";

export type AgentInput = {
  runId: string;
  agentId: string;
  sessionKey: string;
  /** The whole prompt, as the model is to see it. */
  prompt: string;
  /** The same in two parts, for agents that can pass data separately: `[data 1]` stands for the first outside text. */
  instructions: string;
  data: readonly Data[];
  /** Earlier turns of this conversation; null for an isolated run, which has none. */
  conversation: Conversation | null;
  /** Tools this run may use, among those the agent has. */
  tools: readonly string[];
  /** Awaited before a tool that changes something runs; when it says false, the tool must not run. */
  onActing: () => Promise<boolean>;
  /** Called when its program wrote to standard error; `lastLine` is that of all it wrote, or null. */
  onErrorOutput?: (lastLine: () => string | null) => void;
  /** Called with what it writes and does, as it does it; never throws. The reply is the outcome's, whatever was told. */
  onEvent?: (event: AgentEvent) => void;
  /** `provider/model` for a model agent; the agent's own name for other kinds. */
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number;
  /** The trace to continue, for an agent that can pass it on (`core/trace.ts`). */
  trace: string | null;
};

/** What an agent tells while it works. */
export type AgentEvent =
  /** A piece of what it writes, also between its tools. `begins`: a text of its own, apart from what came before. */
  | { readonly kind: "delta"; readonly text: string; readonly begins?: boolean }
  /** `id` is the agent's own. `input` is read only where it is kept. */
  | {
      readonly kind: "tool";
      readonly state: "started";
      readonly id: string;
      readonly name: string;
      readonly input?: () => string;
    }
  /** `ok` is null where the agent does not say. An end without a beginning says nothing. */
  | {
      readonly kind: "tool";
      readonly state: "ended";
      readonly id: string;
      readonly ok: boolean | null;
      readonly output?: () => string;
    };

export type Conversation = {
  /** Oldest first; a `summary` stands for everything before it. */
  readonly history: readonly { readonly role: "user" | "assistant" | "summary"; readonly text: string }[];
  /** The agent's own name for this conversation, as an earlier run reported it. */
  readonly foreignSession: string | null;
};

/**
 * The contract, held by `agent.contract.ts`:
 * - `run` never throws: a failure is an outcome.
 * - When `signal` fires, whatever was started is stopped, and `run` resolves within a few seconds.
 * - It decides no retries and reads no clock; it says whether a failure may pass.
 */
export type Agent = {
  run(input: AgentInput, signal: AbortSignal): Promise<AgentOutcome>;
  /** A short account of a conversation, stored in its place. Only agents without a memory of their own have it. */
  summarise?(
    conversation: string,
    input: Pick<AgentInput, "model" | "thinking">,
    signal: AbortSignal,
  ): Promise<AgentOutcome>;
};
