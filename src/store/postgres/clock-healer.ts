// Heals the store when the database's clock was set, and asks the database for its time while nothing else does.
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
  /** Steps that the store could not be healed from yet, and when they were seen. */
  const unhealed: { stepMs: number; seenAt: number }[] = [];
  let healing = false;

  const heal = async (stepMs: number | null, agoMs: number): Promise<void> =>
    steps.add(await driver.run("healClock", { stepMs, leaseMs, agoMs }));

  const retry = (): void => {
    const [first] = unhealed;
    if (!first || healing) return;
    healing = true;
    heal(first.stepMs, Math.round(monotonic() - first.seenAt)).then(
      () => {
        unhealed.shift();
        healing = false;
        retry();
      },
      () => (healing = false),
    );
  };

  return {
    heal: () => heal(null, 0),
    stepped(stepMs) {
      unhealed.push({ stepMs, seenAt: monotonic() });
      retry();
    },
    retry,
  };
}
