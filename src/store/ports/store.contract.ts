// The contract of the store, by subject. Every implementation passes all of it.
import { afterEach, beforeEach, describe } from "node:test";
import { accepting } from "./requests.contract.ts";
import { backlog } from "./backlog.contract.ts";
import { deliveries } from "./deliveries.contract.ts";
import { budgets } from "./budgets.contract.ts";
import { firstAttempts } from "./first-attempts.contract.ts";
import type { Harness, OpenHarness } from "./harness.contract.ts";
import { heartbeats } from "./events.contract.ts";
import { mail } from "./mail.contract.ts";
import { queue } from "./runs.contract.ts";
import { records } from "./lists.contract.ts";
import { settlements } from "./settlements.contract.ts";
import { transcripts } from "./transcripts.contract.ts";

export function storeContract(name: string, open: OpenHarness): void {
  describe(`store contract: ${name}`, () => {
    let current: (Harness & { close(): Promise<void> }) | undefined;
    beforeEach(async () => {
      current = await open();
    });
    afterEach(() => current?.close());
    const harness = (): Harness => {
      if (!current) throw new Error("the harness is open only inside a test");
      return current;
    };
    for (const subject of [
      accepting,
      firstAttempts,
      queue,
      settlements,
      heartbeats,
      deliveries,
      mail,
      records,
      transcripts,
      budgets,
      backlog,
    ])
      subject(harness);
  });
}
