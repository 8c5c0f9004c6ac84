// What an agent tells while it works, handed to who listens on the same node. Nothing of it is stored.

/**
 * A `delta` is a piece of what the agent writes. An agent also writes between its tools and in turns before its last,
 * and what it wrote can still fail: only the stored reply of the run counts.
 */
export type LiveEvent =
  | { readonly kind: "delta"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly state: "started" | "ended";
      /** How long it took; null while it has not ended. */
      readonly ms: number | null;
      /** Null: it has not ended, or the agent does not say. */
      readonly ok: boolean | null;
    };

export type Live = {
  /** An attempt of the run begins here: what an earlier one told is forgotten, and its listeners hear no more. */
  begin(runId: string): void;
  tell(runId: string, event: LiveEvent): void;
  end(runId: string): void;
  /**
   * Null when the run does not run on this node. `text`: what was told before. Events are heard until the attempt ends;
   * its end is no event, because it counts only when it is stored.
   */
  listen(runId: string, heard: (event: LiveEvent) => void): { text: string; stop(): void } | null;
};

/** Where nobody can listen. */
export const noLive: Live = { begin() {}, tell() {}, end() {}, listen: () => null };
