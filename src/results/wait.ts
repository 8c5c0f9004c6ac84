// Callers that wait for the end of their runs. Their number is limited, and nobody waits for them: at a stop all of them
// get their answer at once.
import type { Clock } from "../core/clock.ts";
import { hasEnded, type RunState } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { Exchange } from "../http/exchange.ts";
import { onHangUp } from "../http/hang-up.ts";
import type { RunWatch } from "./watch.ts";

export type Waited = {
  /** It was waited as long as was asked, or until all have ended. */
  isApplied: boolean;
  ended: ReadonlyMap<string, Run>;
  /** The last known states, in the order in which they were given. */
  states: readonly RunState[];
};

export type Waits = {
  /** Until all of these have ended, the time is over, the caller hangs up or the gateway stops. Never rejects. */
  wait(runs: readonly RunState[], waitMs: number, exchange: Exchange): Promise<Waited>;
  /** How many places are taken: one for each run that is waited for. */
  taken(): number;
  stop(): void;
};

export type WaitOptions = {
  watch: Pick<RunWatch, "add">;
  clock: Pick<Clock, "after">;
  mostWaiting: () => number;
};

export function createWaits({ watch, clock, mostWaiting }: WaitOptions): Waits {
  const leaving = new Set<() => void>();
  let taken = 0;
  let isStopped = false;
  return {
    async wait(runs, waitMs, exchange) {
      const states = new Map(runs.map((run) => [run.id, run]));
      const ended = new Map<string, Run>();
      const now = (isApplied: boolean): Waited => ({ isApplied, ended, states: [...states.values()] });
      if (isStopped || taken + states.size > mostWaiting()) return now(false);
      taken += states.size;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const leave = (): void => resolve(false);
      const undo = [onHangUp(exchange, leave), clock.after(waitMs, () => resolve(true))];
      leaving.add(leave);
      for (const run of runs) undo.push(watch.add(run, listenerOf(run.id)));
      const isApplied = await promise;
      for (const each of undo) each();
      leaving.delete(leave);
      taken -= states.size;
      return now(isApplied);

      function listenerOf(id: string) {
        return {
          changed: (state: RunState) => void states.set(id, state),
          ended(run: Run) {
            ended.set(id, run);
            states.set(id, run);
            if ([...states.values()].every(hasEnded) && ended.size === states.size) resolve(true);
          },
          gone: leave,
        };
      }
    },
    taken: () => taken,
    stop() {
      isStopped = true;
      for (const leave of leaving) leave();
    },
  };
}
