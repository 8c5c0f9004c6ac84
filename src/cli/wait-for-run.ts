// Waits until a run has ended, by reading the store, with a sign of life on a terminal.
import type { Clock } from "../core/clock.ts";
import { UsageError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import type { Store } from "../store/store.ts";
import type { Progress } from "./progress.ts";

const lookEveryMs = 200;

export async function waitForRun(
  store: Pick<Store, "findRun">,
  id: string,
  { clock, progress }: { clock: Clock; progress: Progress },
): Promise<Run> {
  try {
    for (;;) {
      const run = await store.findRun(id);
      if (run === null)
        throw new UsageError(
          `Run ${id} is not in this config's store, so it cannot be waited for. Does the gateway use another config?`,
        );
      if (run.endedAt !== null) return run;
      progress.show(`the run is ${run.status}`);
      await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve));
    }
  } finally {
    progress.clear();
  }
}
