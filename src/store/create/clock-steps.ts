// Steps of the store's clock, kept for whoever watches it.
import type { ClockStep } from "../../core/clock-step.ts";

export type ClockSteps = {
  /** Null: nothing to tell. */
  add(step: ClockStep | null): void;
  watch(onStep: (step: ClockStep) => void): void;
  stop(): void;
};

/** `onWatch` is called when somebody begins to watch, and what it returns at the end. */
export function createClockSteps(onWatch: () => () => void = () => () => {}): ClockSteps {
  let told: ((step: ClockStep) => void) | null = null;
  let untold: ClockStep[] = [];
  let stop = (): void => {};
  return {
    add(step) {
      if (step === null) return;
      if (told) told(step);
      else untold.push(step);
    },
    watch(onStep) {
      told = onStep;
      untold.forEach(onStep);
      untold = [];
      stop();
      stop = onWatch();
    },
    stop: () => stop(),
  };
}
