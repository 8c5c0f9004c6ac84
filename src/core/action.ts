// An action is what a checked request asks for: leave a note for the main session, or run an agent.
import type { CallbackTarget } from "./callback.ts";
import type { Message } from "./message.ts";
import type { WantedTarget } from "./target.ts";
import type { ToolGrant } from "./tool.ts";

export const wakeModes = ["now", "next-heartbeat"] as const;
export type WakeMode = (typeof wakeModes)[number];

export type WakeAction = { kind: "wake"; text: Message; mode: WakeMode };

/** Who wrote what is asked: the request itself, on the agent hook, or the operator's mapping. */
export type Origin = "request" | "mapping";

/** What a run was asked to do; stored with it. */
export type RunRequest = {
  message: Message;
  /** Decides the frame of its prompt: outside values of a mapping are data, whatever the message consists of. */
  origin: Origin;
  /** Whose budget the run counts against, when it is not its hook's: that of a mapping which takes any name. */
  budget: string | null;
  /** The mapping lifts the safety boundary from this run's prompt. */
  unsafe: boolean;
  name: string | null;
  wakeMode: WakeMode;
  deliver: boolean;
  channel: string;
  to: string | null;
  /** Where the reply goes when it cannot be delivered; null: the agent's fallback. */
  fallback: WantedTarget | null;
  /** Whether a failure of a run whose reply was to be sent is told there; null: as `hooks.deliverFailures`. */
  deliverFailures: boolean | null;
  model: string | null;
  thinking: string | null;
  timeoutSeconds: number | null;
  /** The tools that its agent may use beyond reading. */
  tools: ToolGrant;
  /** The parent of its spans (`core/trace.ts`). */
  trace: string | null;
  /** The named token that its request came with (`hooks.tokens`). */
  credential: string | null;
  /** What the caller may read of its result. */
  results: ResultAccess;
  /** Where its result is sent. */
  callback: CallbackTarget | null;
};

export const resultAccesses = ["none", "status", "reply"] as const;
/** `status`: everything but the reply and the error's text. */
export type ResultAccess = (typeof resultAccesses)[number];

export type AgentAction = Omit<RunRequest, "tools" | "trace" | "credential" | "results"> & {
  kind: "agent";
  /** Null: the default of hooks. */
  tools: ToolGrant | null;
  /** The mapping's word; null: as the token that it comes with. */
  results: ResultAccess | null;
  /** The agent id in the request, trimmed; null when there was none. */
  agentId: string | null;
  sessionKey: string | null;
};

export type Action = WakeAction | AgentAction;
