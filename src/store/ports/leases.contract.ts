// Every change that follows a claim takes its lease, and is refused without: a worker that was frozen, or cut off for
// longer than its lease, overwrites nothing that another has done since. The table is held to the catalogue of programs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aClaimedRun, aRun } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import { catalogue, isRead, type ProgramName } from "../programs/catalogue.ts";
import { acceptRuns, claim, claimNext, leaseMs, startRun, type Harness } from "./harness.contract.ts";
import type { Store } from "./store.ts";

/** A run, a delivery and a mail account, each claimed first under the lease `stale`, and then under another. */
type Overtaken = { runId: string; deliveryId: string; account: string };

const lease = "stale";

/** Each tries the change under the stale lease, and returns whether that was done. */
const fenced: Partial<Record<ProgramName, (store: Store, work: Overtaken) => Promise<boolean>>> = {
  advanceDelivery: (store, { deliveryId }) =>
    store.advanceDelivery({ id: deliveryId, lease, sentMessages: 1, leaseMs }),
  commitMail: async (store, { account }) =>
    (await store.commitMail({
      id: account,
      lease,
      mails: [],
      end: { cursor: "stale", status: "ok", error: null, notice: null },
    })) !== null,
  compact: (store, { runId }) =>
    store.compact({ runId, lease, agentId: "main", sessionKey: "k", upTo: 1_000_000, summary: "stale" }),
  markActed: (store, { runId }) => store.markActed({ id: runId, lease }),
  moveDelivery: (store, { deliveryId }) =>
    store.moveDelivery({ id: deliveryId, lease }, { channel: "slack", to: "stale" }),
  noteLastLine: (store, { runId }) => store.noteLastLine({ id: runId, lease, line: "stale" }),
  noteMail: (store, { account }) =>
    store.noteMail({ id: account, lease, status: "degraded", error: "stale", notice: null }),
  noteSubscription: (store, { account }) =>
    store.noteSubscription(account, { lease, expiration: 1, dueInMs: 1 }),
  releaseMailbox: async (store, { account }) => {
    await store.releaseMailbox({ id: account, lease });
    return (await store.claimMailbox({ id: account, lease: "third", leaseMs })) !== null;
  },
  renewDeliveries: async (store, { deliveryId }) =>
    (await store.renewDeliveries({ ids: [deliveryId], lease, leaseMs })).length > 0,
  renewMailbox: (store, { account }) => store.renewMailbox({ id: account, lease, leaseMs }),
  renewRuns: async (store, { runId }) =>
    (await store.renewRuns({ ids: [runId], lease, leaseMs })).held.length > 0,
  settleDelivery: (store, { deliveryId }) =>
    store.settleDelivery({ id: deliveryId, lease }, aDeliverySettlement()),
  settleRuns: (store, { runId }) => store.settleRun({ id: runId, lease, kind: "hook" }, aSettlement()),
  startRuns: async (store, { runId }) =>
    (await startRun(store, aClaimedRun({ id: runId, lease, sessionKey: "k", isolated: false }))).kind ===
    "go",
};

const beforeClaim = "it stores what nobody can have claimed yet";
const operator = "an operator's command: no worker has to allow it";
const grants = "it grants leases, to whoever comes first";
const decided = "nobody claims for it: the row itself decides who was first";
const upkeep = "it touches nothing that is worked on";

/** Changes without a lease, each with its reason. */
const unreadable = "a row that cannot be read is left out, whoever finds it; a second time changes nothing";
const unfenced: Partial<Record<ProgramName, string>> = {
  accept: beforeClaim,
  acceptEvents: beforeClaim,
  acceptKeyed: beforeClaim,
  acceptRuns: beforeClaim,
  acceptStarted: beforeClaim,
  addAudit: upkeep,
  beatIfDue: decided,
  cancelDelivery: operator,
  cancelRun: operator,
  claimDeliveries: grants,
  claimMailbox: grants,
  claimRuns: grants,
  countFailures: decided,
  forgetKey: operator,
  forgetMailAccount: operator,
  healClock: "it brings times to now that a clock's step left in the future; leases then only end earlier",
  identity: upkeep,
  markEvent: operator,
  mendLanes: upkeep,
  migrate: upkeep,
  noteCalls: upkeep,
  openPairing: operator,
  pauseHook: operator,
  probe: upkeep,
  recordRequests: beforeClaim,
  releaseRuns: operator,
  repeatFailedRuns: operator,
  repeatRun: operator,
  requestHeartbeat: beforeClaim,
  resetSession: operator,
  resumeHook: operator,
  retryDelivery: operator,
  setEventsAside: unreadable,
  setLastTarget: operator,
  setTurnsAside: unreadable,
  sweep: upkeep,
  sweepConversations: upkeep,
  takeKey: decided,
  voidLeases: "at the start of the only gateway on a file: nobody else can have a lease",
};

/** Everything that a stale worker could have changed. */
const snapshot = async (store: Store, { runId, deliveryId }: Overtaken) => ({
  run: await store.findRun(runId),
  delivery: await store.findDelivery(deliveryId),
  accounts: await store.listMailAccounts(),
  turns: await store.listTurns({ agentId: "main", sessionKey: "k" }),
  events: await store.listEvents({ limit: null }),
});

async function overtake({ store, clock }: Harness): Promise<Overtaken> {
  const earlier = aRun({ sessionKey: "k" });
  const mine = aRun({ sessionKey: "k" });
  await acceptRuns(store, earlier, mine);
  const first = await claimNext(store);
  await startRun(store, first);
  const delivery = aDelivery();
  const end = { agentId: "main", sessionKey: "k", text: "answered", foreignSession: null, carried: true };
  assert.ok(await store.settleRun(first, aSettlement({ delivery, ending: end })));
  const account = "gmail:me@mail.test";
  const claimAll = async (by: string) => {
    const runs = (await claim(store, { lease: by })).claimed;
    const deliveries = { channel: "telegram", limit: 1, lease: by, leaseMs };
    const claimed = (await store.claimDeliveries(deliveries)).claimed;
    const mailbox = await store.claimMailbox({ id: account, lease: by, leaseMs });
    assert.deepEqual([runs[0]?.id, claimed[0]?.id, mailbox?.id], [mine.id, delivery.id, account]);
  };
  await claimAll(lease);
  clock.advance(leaseMs + 1);
  await claimAll("fresh");
  return { runId: mine.id, deliveryId: delivery.id, account };
}

export function leasesContract(harness: () => Harness): void {
  describe("changes that follow a claim", () => {
    test("every program that changes something takes a lease, or says why not", () => {
      const changes = (Object.keys(catalogue) as ProgramName[]).filter((name) => !isRead(name));
      const listed = [...Object.keys(fenced), ...Object.keys(unfenced)];
      assert.deepEqual(listed.toSorted(), changes.toSorted());
    });

    for (const [name, change] of Object.entries(fenced))
      test(`${name}: a stale lease is refused, and nothing is changed`, async () => {
        const { store, clock } = harness();
        const work = await overtake({ store, clock });
        const before = await snapshot(store, work);
        assert.equal(await change(store, work), false);
        assert.deepEqual(await snapshot(store, work), before);
      });
  });
}
