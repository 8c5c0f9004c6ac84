// Waits between two reads of the store, or until the command is told to stop.
import type { Context } from "../command.ts";

export type Pauses = {
  readonly isStopped: boolean;
  /** Resolves after this time, at once when the command is stopped. */
  wait(ms: number): Promise<void>;
};

export function createPauses({ clock, onStopSignal }: Context): Pauses {
  let isStopped = false;
  let wake = () => {};
  onStopSignal(() => {
    isStopped = true;
    wake();
  });
  return {
    get isStopped() {
      return isStopped;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        if (isStopped) return resolve();
        const cancel = clock.after(ms, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      }),
  };
}
