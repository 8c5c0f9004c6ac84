// Hooks that an operator has paused: requests are accepted and stored, and their runs wait.
export type PausedHook = { hook: string; pausedAt: number };

export type PausedHooks = {
  /** From now on no run of this hook starts: each is parked when its turn comes. False: it is paused already. */
  pauseHook(hook: string): Promise<boolean>;
  /** Queues what was parked because of it, and returns how many. Budgets hold for them as for all runs. */
  resumeHook(hook: string): Promise<number>;
  /** By their names. */
  pausedHooks(): Promise<PausedHook[]>;
};
