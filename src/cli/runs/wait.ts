// Waits until runs have ended, by reading the store, with a sign of life on a terminal.
import type { Clock } from "../../core/clock.ts";
import { UsageError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Context } from "../command.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";

const lookEveryMs = 200;

export async function waitForRun(
  store: Pick<Store, "findRun">,
  id: string,
  { clock, progress, which = "the run" }: { clock: Clock; progress: Progress; which?: string },
): Promise<Run> {
  try {
    for (;;) {
      const run = await store.findRun(id);
      if (run === null)
        throw new UsageError(
          `Run ${id} is not in this config's store, so it cannot be waited for. Does the gateway use another config?`,
        );
      if (run.endedAt !== null) return run;
      progress.show(`${which} is ${run.status}`);
      await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve));
    }
  } finally {
    progress.clear();
  }
}

/** In the order of their ids. */
export async function waitForRuns(
  store: Pick<Store, "findRun">,
  ids: readonly string[],
  context: Context,
): Promise<Run[]> {
  const progress = createProgress(context);
  const ended: Run[] = [];
  for (const [at, id] of ids.entries()) {
    const which = ids.length === 1 ? "the run" : `run ${at + 1} of ${ids.length}`;
    ended.push(await waitForRun(store, id, { clock: context.clock, progress, which }));
  }
  return ended;
}
