// The store's suite, by subject. Every implementation of the port passes all of it.
import { afterEach, beforeEach, describe } from "node:test";
import { accepting } from "./requests.contract.ts";
import { backlog } from "./backlog.contract.ts";
import { deliveries } from "./deliveries.contract.ts";
import { firstTurns } from "./first-turns.contract.ts";
import type { Harness, OpenHarness } from "./harness.contract.ts";
import { heartbeats } from "./events.contract.ts";
import { mail } from "./mail.contract.ts";
import { queue } from "./runs.contract.ts";
import { records } from "./lists.contract.ts";
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
      firstTurns,
      queue,
      heartbeats,
      deliveries,
      mail,
      records,
      transcripts,
      backlog,
    ])
      subject(harness);
  });
}
