// Waits until runs have ended, by polling the store, with a progress line on a terminal.
import type { Clock } from "../../core/clock.ts";
import { UsageError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Context } from "../command.ts";
import { nextTryWords } from "./next-try.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";

const pollMs = 200;

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
      const next = nextTryWords(run);
      progress.show(`${which} is ${run.status}${next === null ? "" : `, ${next}`}`);
      await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
    }
  } finally {
    progress.clear();
  }
}

/** Resolves to the ended runs, in the order of `ids`. */
export async function waitForRuns(
  store: Pick<Store, "findRun">,
  ids: readonly string[],
  context: Context,
): Promise<Run[]> {
  const progress = createProgress(context);
  const ended: Run[] = [];
  for (const [index, id] of ids.entries()) {
    const which = ids.length === 1 ? "the run" : `run ${index + 1} of ${ids.length}`;
    ended.push(await waitForRun(store, id, { clock: context.clock, progress, which }));
  }
  return ended;
}
