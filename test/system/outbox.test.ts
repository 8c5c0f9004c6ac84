// The crash test of the outbox in the size of a test run. Longer: npm run crash:outbox -- --kills 200
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Delivery } from "../../src/core/delivery.ts";
import type { Run } from "../../src/core/run.ts";
import { randomSeed } from "../support/random.ts";
import { describeOutbox, outboxTest } from "./outbox.ts";
import { type OutboxEvidence, outboxFaults, parts } from "./outbox-check.ts";
import type { Received } from "./outbox-platform.ts";

test("20 kills while replies are sent: nothing is lost, and only messages in flight arrive twice", async (context) => {
  const seed = randomSeed();
  context.diagnostic(`seed ${seed}`);
  const result = await outboxTest({ kills: 20, seed });
  context.diagnostic(describeOutbox(result));
  assert.deepEqual(result.faults, [], `seed ${seed}`);
  assert.ok(result.interrupted > 0, "no kill met a message on its way");
});

/** Two replies into one chat and one into another, the second part of the first sent again after a kill. */
function evidence(): OutboxEvidence {
  const deliveries = [
    { id: "d1", runId: "a", to: "1" },
    { id: "d2", runId: "b", to: "1" },
    { id: "d3", runId: "c", to: "2" },
  ].map((each) => ({ ...each, status: "sent", sentMessages: 3, error: null }) as Delivery);
  const whole = deliveries.flatMap(({ runId, to }) =>
    parts.map((part) => ({ chat: to ?? "", word: `${runId}/${part}`, life: 2 })),
  );
  const received: Received[] = [{ ...whole[0]!, life: 1 }, { ...whole[1]!, life: 1 }, ...whole.slice(1)];
  const runs = deliveries.map(({ runId }) => ({ id: runId, status: "succeeded" }) as Run);
  return { accepted: ["a", "b", "c"], runs, deliveries, received };
}

test("the judge finds nothing wrong with a good outcome", () => {
  assert.deepEqual(outboxFaults(evidence()), []);
});

const doctored: Record<string, (good: OutboxEvidence) => Partial<OutboxEvidence>> = {
  "the run x is undefined": ({ accepted }) => ({ accepted: [...accepted, "x"] }),
  "has 0 deliveries": ({ deliveries }) => ({ deliveries: deliveries.slice(1) }),
  "has 2 deliveries": ({ deliveries }) => ({ deliveries: [...deliveries, deliveries[2]!] }),
  "is unknown": ({ deliveries }) => ({
    deliveries: deliveries.map((each) => ({ ...each, status: "unknown" })),
  }),
  "2 messages sent": ({ deliveries }) => ({
    deliveries: deliveries.map((each) => ({ ...each, sentMessages: 2 })),
  }),
  "in place of c/3": ({ received }) => ({ received: received.slice(0, -1) }),
  "is b/1 in place of a/3": ({ received }) => ({
    received: [...received.slice(0, 3), received[4]!, received[3]!, ...received.slice(5)],
  }),
  "is a/1 in place of b/1": ({ received }) => ({
    received: [...received.slice(0, 4), received[0]!, ...received.slice(4)],
  }),
  "came twice from one process": ({ received }) => ({
    received: received.map((each) => ({ ...each, life: 1 })),
  }),
};

for (const [fault, doctor] of Object.entries(doctored)) {
  test(`the judge reports: ${fault}`, () => {
    const good = evidence();
    const faults = outboxFaults({ ...good, ...doctor(good) });
    assert.ok(
      faults.some((each) => each.includes(fault)),
      JSON.stringify(faults),
    );
  });
}
