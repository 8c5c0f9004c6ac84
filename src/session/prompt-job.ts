// What the thread that makes prompts gets.
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";

export type PromptJob = { instructions: string | null } & (
  | { kind: "hook"; request: Run["request"] }
  | { kind: "heartbeat"; events: readonly SystemEvent[]; now: number; waiting: number }
);
