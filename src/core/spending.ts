// What the runs of a hook have used in a day, and the limits for it.

import type { NewRun } from "./run.ts";

export type Budget = { runsPerDay: number; tokensPerDay: number; moneyPerDay: number | null };

/** The name under which a run's spending is counted. */
export const budgetOf = ({ hook, request }: Pick<NewRun, "hook" | "request">): string =>
  request.budget ?? hook;

export type Spending = {
  /** The hook, or the mapping, that a budget belongs to. */
  hook: string;
  /** UTC, as 2026-01-31. */
  day: string;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
};

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

const dayMs = 86_400_000;
export const nextDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

/** The limit that has been reached, in words, or null. A run that has started before is not counted again. */
export function limitReached(spent: Spending, budget: Budget, isNew: boolean): string | null {
  if (isNew && spent.runs >= budget.runsPerDay) return `${budget.runsPerDay} runs a day`;
  if (spent.inputTokens + spent.outputTokens >= budget.tokensPerDay)
    return `${budget.tokensPerDay} tokens a day`;
  if (budget.moneyPerDay !== null && spent.cost >= budget.moneyPerDay)
    return `${budget.moneyPerDay} of money a day`;
  return null;
}
