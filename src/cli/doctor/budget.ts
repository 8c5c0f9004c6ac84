// Checks how much of its daily budget each hook has used.
import { limitReached, type Budget } from "../../core/spending.ts";
import type { Store } from "../../store/ports/store.ts";
import { type Finding, ok, warn } from "./finding.ts";

export async function checkBudget(store: Store, budget: Budget): Promise<Finding> {
  const spent = await store.listSpending();
  const over = spent.flatMap((each) => {
    const reached = limitReached(each, budget, true);
    return reached === null ? [] : [`${each.hook} (${reached})`];
  });
  if (over.length > 0)
    return warn(
      "budget",
      `used up today, so further runs are parked until tomorrow: ${over.join(", ")}`,
      "Queue them now with: rouse runs release; or raise hooks.budget.",
    );
  const runs = spent.reduce((sum, each) => sum + each.runs, 0);
  const tokens = spent.reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
  return ok("budget", `${runs} runs and ${tokens} tokens today, no hook over its limit`);
}
