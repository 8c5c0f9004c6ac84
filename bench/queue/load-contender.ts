// Loads a contender by name, in the process that needs it.
import type { ContenderName, QueueContender } from "./contender.ts";

export async function loadContender(name: ContenderName): Promise<QueueContender> {
  switch (name) {
    case "runner":
      return (await import("./rouse.ts")).runner;
    case "store":
      return (await import("./rouse.ts")).storeOnly;
    case "graphile-worker":
      return (await import("./graphile-worker.ts")).inBatches;
    case "graphile-worker, one by one":
      return (await import("./graphile-worker.ts")).oneByOne;
    case "pg-boss":
      return (await import("./pg-boss.ts")).pgBoss;
  }
}
