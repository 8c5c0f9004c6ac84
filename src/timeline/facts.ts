// What a timeline is made of: stored rows.
import type { AttemptRecord } from "../core/attempt-record.ts";
import type { Delivery } from "../core/delivery.ts";
import type { RequestRecord } from "../core/request.ts";
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import type { FencedText } from "./step.ts";

/** The prompt of a run as it was stored. `at`: when its first attempt started. */
export type PromptFacts = {
  readonly at: number;
  readonly characters: number;
  readonly texts: readonly FencedText[];
};

export type RunFacts = {
  readonly run: Run;
  readonly attempts: readonly AttemptRecord[];
  /** The run before it in its conversation. */
  readonly behind: Pick<Run, "id" | "status" | "endedAt"> | null;
  readonly prompt: PromptFacts | null;
  readonly summary: Pick<SystemEvent, "id" | "shownAt"> | null;
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
  /** The run that an operator made of it. */
  readonly retry: Pick<Run, "id" | "status" | "createdAt"> | null;
};

export type TimelineFacts = {
  /** Null: none is kept, or the run has none. */
  readonly request: RequestRecord | null;
  readonly runs: readonly RunFacts[];
  /** The notes of a wake. */
  readonly events: readonly SystemEvent[];
  /** Oldest first. */
  readonly replays: readonly RequestRecord[];
  /** How many other requests were refused for the same reason. */
  readonly others: number;
};
