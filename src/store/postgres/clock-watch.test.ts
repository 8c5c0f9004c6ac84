import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clockSteps } from "../../../test/builders/clock-step.ts";
import { createRandom } from "../../../test/support/random.ts";
import { createClockWatch } from "./clock-watch.ts";

const holdMs = 15_000;
const ahead = 1_700_000_000_000;

function setUp() {
  let ours = 1000;
  let theirs = ahead;
  const watch = createClockWatch({ monotonic: () => ours, holdMs });
  return {
    watch,
    pass: (ms: number) => void (ours += ms),
    /** Sets the database's clock. */
    set: (ms: number) => void (theirs += ms),
    databaseTime: () => ours + theirs,
    /** A query that takes so long, there and back. */
    report(there = 0.3, back = 0.3): number {
      const askedAt = ours;
      const databaseTime = Math.floor(ours + there + theirs);
      ours += there + back;
      return watch.learn(databaseTime, { askedAt, answeredAt: ours });
    },
  };
}

describe("the watch on the database's clock", () => {
  for (const [name, stepMs] of clockSteps)
    test(`sees a step of ${name} once, and how far it was`, () => {
      const { report, set, pass } = setUp();
      assert.equal(report(), 0);
      pass(5000);
      assert.equal(report(), 0);
      set(stepMs);
      pass(5000);
      assert.ok(Math.abs(report() - stepMs) <= 20);
      pass(5000);
      assert.equal(report(), 0);
    });

  test("takes no slow or uneven connection, and no clock that is slewed, for a step", () => {
    const { report, set, pass } = setUp();
    const random = createRandom(1);
    for (let round = 0; round < 2000; round++) {
      assert.equal(report(random() * 3000, random() * 3000), 0);
      const betweenMs = random() * 5000;
      pass(betweenMs);
      set(betweenMs * 0.0005);
    }
  });

  test("lets no lease end by a step forward for as long as a lease", () => {
    const { watch, report, set, pass, databaseTime } = setUp();
    assert.equal(watch.leasesBy(), null);
    report();
    const isRight = () => Math.abs(watch.leasesBy()! - databaseTime()) <= 10;
    assert.ok(isRight());
    set(3_600_000);
    assert.ok(Math.abs(watch.leasesBy()! + 3_600_000 - databaseTime()) <= 10, "before it is noticed");
    report();
    pass(holdMs - 100);
    assert.ok(Math.abs(watch.leasesBy()! + 3_600_000 - databaseTime()) <= 10, "until all have renewed");
    pass(200);
    assert.ok(isRight());
  });

  test("follows a step back at once", () => {
    const { watch, report, set, databaseTime } = setUp();
    report();
    set(-3_600_000);
    report();
    assert.ok(Math.abs(watch.leasesBy()! - databaseTime()) <= 10);
  });
});
