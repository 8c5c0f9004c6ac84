// What an agent tells while it works, handed to who listens on the same node. Nothing of it is stored.

export type LiveEvent =
  | { readonly kind: "delta"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly state: "started" | "ended";
      /** How long it took; null while it has not ended. */
      readonly ms: number | null;
      readonly ok: boolean | null;
    };

export type Live = {
  /** An attempt of the run begins here: what an earlier one told is forgotten. */
  begin(runId: string): void;
  tell(runId: string, event: LiveEvent): void;
  end(runId: string): void;
  /** Null when the run does not run on this node. `text`: what was told before. */
  listen(runId: string, heard: (event: LiveEvent) => void): { text: string; stop(): void } | null;
};

/** Where nobody can listen. */
export const noLive: Live = { begin() {}, tell() {}, end() {}, listen: () => null };
