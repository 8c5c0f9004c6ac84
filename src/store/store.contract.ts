// The store's suite, by subject. Every implementation of the port passes all of it.
import { afterEach, beforeEach, describe } from "node:test";
import { accepting } from "./contract/accepting.ts";
import { backlog } from "./contract/backlog.ts";
import { deliveries } from "./contract/deliveries.ts";
import { firstTurns } from "./contract/first-turns.ts";
import type { Harness, OpenHarness } from "./contract/harness.ts";
import { heartbeats } from "./contract/heartbeats.ts";
import { mail } from "./contract/mail.ts";
import { queue } from "./contract/queue.ts";
import { records } from "./contract/records.ts";
import { transcripts } from "./contract/transcripts.ts";

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
