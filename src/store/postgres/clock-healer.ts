// Heals the store when the database's clock was set, and asks the database for its time while nothing else does.
import { nothingMoved } from "../../core/clock-step.ts";
import type { ClockSteps } from "../create/clock-steps.ts";
import type { Driver } from "../driver/program.ts";
import type { Programs } from "../programs/catalogue.ts";

export type Healer = {
  /** At the opening. */
  heal(): Promise<void>;
  /** The database's clock was set. */
  stepped(stepMs: number): void;
  /** Tries again what has failed. */
  retry(): void;
};

export function createHealer(
  driver: Pick<Driver<Programs>, "run">,
  steps: Pick<ClockSteps, "add">,
  { leaseMs, monotonic }: { leaseMs: number; monotonic: () => number },
): Healer {
  /** A step back that the store could not be healed from yet, and when it was seen. */
  let unhealed = 0;
  let seenAt = 0;
  let healing = false;

  const heal = async (stepMs: number | null): Promise<void> => {
    const agoMs = stepMs === null ? 0 : Math.round(monotonic() - seenAt);
    steps.add(await driver.run("healClock", { stepMs, leaseMs, agoMs }));
  };

  const retry = (): void => {
    if (unhealed === 0 || healing) return;
    const stepMs = unhealed;
    healing = true;
    heal(stepMs).then(
      () => {
        unhealed -= stepMs;
        healing = false;
        retry();
      },
      () => (healing = false),
    );
  };

  return {
    heal: () => heal(null),
    stepped(stepMs) {
      if (stepMs > 0) return steps.add({ stepMs, moved: nothingMoved });
      unhealed += stepMs;
      seenAt = monotonic();
      retry();
    },
    retry,
  };
}
