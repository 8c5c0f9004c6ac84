// The contract of the store, by subject. Every implementation passes all of it.
import { afterEach, beforeEach, describe } from "node:test";
import { auditContract } from "./audit.contract.ts";
import { attemptsContract } from "./attempts.contract.ts";
import { backlogContract } from "./backlog.contract.ts";
import { budgetsContract } from "./budgets.contract.ts";
import { deliveriesContract } from "./deliveries.contract.ts";
import { eventsContract } from "./events.contract.ts";
import { firstAttemptsContract } from "./first-attempts.contract.ts";
import { keptRequestsContract } from "./kept-requests.contract.ts";
import { leasesContract } from "./leases.contract.ts";
import { pausedHooksContract } from "./hooks.contract.ts";
import { listsContract } from "./lists.contract.ts";
import { mailContract } from "./mail.contract.ts";
import { repeatsContract } from "./repeats.contract.ts";
import { deliveryKeysContract } from "./delivery-keys.contract.ts";
import { requestsContract } from "./requests.contract.ts";
import { runStatesContract } from "./run-states.contract.ts";
import { runsContract } from "./runs.contract.ts";
import { searchContract } from "./search.contract.ts";
import { sendersContract } from "./senders.contract.ts";
import { settlementsContract } from "./settlements.contract.ts";
import { sweepContract } from "./sweep.contract.ts";
import { transcriptsContract } from "./transcripts.contract.ts";
import type { Harness, OpenHarness } from "./harness.contract.ts";

const subjects = [
  requestsContract,
  keptRequestsContract,
  deliveryKeysContract,
  sendersContract,
  firstAttemptsContract,
  runsContract,
  runStatesContract,
  repeatsContract,
  settlementsContract,
  attemptsContract,
  budgetsContract,
  eventsContract,
  deliveriesContract,
  transcriptsContract,
  sweepContract,
  mailContract,
  leasesContract,
  listsContract,
  searchContract,
  pausedHooksContract,
  auditContract,
  backlogContract,
];

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
    for (const subject of subjects) subject(harness);
  });
}
