// Stores the last line that an agent's program wrote to standard error, for people who look at a running run. However
// fast it writes, the line is read and stored at most once in a few seconds, and only when it is another one. A run
// that is over sooner stores nothing. What cannot be stored is left out.
import type { Clock } from "../core/clock.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Store } from "../store/ports/store.ts";

export type LastLine = {
  /** The program wrote something; `read` gives the last line of it. */
  written(read: () => string | null): void;
  /** The attempt is over: nothing more is stored. */
  stop(): void;
};

const intervalMs = 3000;

export function createLastLine(
  { id, lease }: Pick<ClaimedRun, "id" | "lease">,
  { store, clock }: { store: Pick<Store, "noteLastLine">; clock: Clock },
): LastLine {
  let state: "resting" | "waiting" | "storing" | "stopped" = "resting";
  let readLine: (() => string | null) | null = null;
  let stored: string | null = null;
  let cancelTimer = (): void => {};

  const wait = () => {
    state = "waiting";
    cancelTimer = clock.after(intervalMs, () => void note());
  };
  async function note(): Promise<void> {
    const line = readLine?.() ?? null;
    readLine = null;
    state = "storing";
    if (line !== null && line !== stored && (await isNoted(line))) stored = line;
    if (isStopped()) return;
    if (readLine === null) state = "resting";
    else wait();
  }
  const isNoted = (line: string) => store.noteLastLine({ id, lease, line }).catch(() => false);
  const isStopped = () => state === "stopped";

  return {
    written(read) {
      readLine = read;
      if (state === "resting") wait();
    },
    stop() {
      state = "stopped";
      cancelTimer();
    },
  };
}
