import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { createDatabaseTime, fits } from "./time.ts";

/** Our monotonic clock stands still at `ours`. */
function setUp(ours: number) {
  const time = createDatabaseTime();
  const steady = mock.method(performance, "now", () => ours);
  return {
    /** A query at `askedAt` that reaches a database with a clock `ahead` of ours after `there`; the result takes `back`. */
    ask(ahead: number, askedAt: number, there: number, back: number): void {
      const databaseTime = Math.round(askedAt + there + ahead);
      time.learn(databaseTime, { askedAt, answeredAt: askedAt + there + back });
    },
    thought: (): number => time.estimate() ?? Number.NaN,
    restore: () => steady.mock.restore(),
  };
}

describe("the estimate of the database's clock", () => {
  it("is null before the database has reported its time", () => {
    assert.equal(createDatabaseTime().estimate(), null);
  });

  it("is ahead by at most the shortest round trip, however slow the others are", (t) => {
    const { ask, thought, restore } = setUp(10_000);
    t.after(restore);
    ask(500_000, 1_000, 400, 1);
    assert.ok(thought() > 510_300, "all there is to go by");
    ask(500_000, 2_000, 0.3, 0.3);
    ask(500_000, 3_000, 400, 400);
    ask(500_000, 4_000, 250, 0.1);
    assert.ok(thought() >= 510_000 && thought() <= 510_002, String(thought()));
  });

  it("is never behind, wherever in a round trip the database read its clock", (t) => {
    const { ask, thought, restore } = setUp(10_000);
    t.after(restore);
    for (let step = 0; step <= 20; step++) {
      ask(500_000.49, 1_000 + step * 0.37, step / 10, 2 - step / 10);
      assert.ok(thought() >= 510_000, String(thought()));
    }
  });

  it("follows a clock that was set, forwards and back", (t) => {
    const { ask, thought, restore } = setUp(10_000);
    t.after(restore);
    ask(500_000, 1_000, 0.3, 0.3);
    ask(560_000, 2_000, 0.3, 0.3);
    assert.ok(thought() >= 570_000 && thought() <= 570_002, String(thought()));
    ask(500_000, 3_000, 0.3, 0.3);
    assert.ok(thought() >= 510_000 && thought() <= 510_002, String(thought()));
  });

  it("follows a clock that runs faster than ours", (t) => {
    const { ask, thought, restore } = setUp(10_000);
    t.after(restore);
    for (let second = 1; second <= 600; second++) ask(500_000 + second * 0.5, second * 1000, 0.5, 0.5);
    assert.ok(thought() >= 510_299 && thought() <= 510_302, String(thought()));
  });
});

describe("an estimate and the time that the database then reports", () => {
  const ahead = 500_000;
  const way = fc.double({ min: 0, max: 5000, noNaN: true });

  it("fit whatever the way there and back take, unless the way there was never as short", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(way, way), { minLength: 2, maxLength: 20 }), (trips) => {
        const time = createDatabaseTime();
        let askedAt = 1000;
        let shortest = Infinity;
        const steady = mock.method(performance, "now", () => askedAt);
        for (const [there, back] of trips) {
          const estimate = time.estimate();
          const databaseTime = Math.round(askedAt + there + ahead);
          const roundTrip = { askedAt, answeredAt: askedAt + there + back };
          if (estimate !== null) {
            assert.ok(estimate >= Math.floor(askedAt + ahead), "never behind the time when it was sent");
            if (fits(estimate, databaseTime, roundTrip)) assert.ok(estimate <= databaseTime + 100);
            else assert.ok(there < shortest - 90, `${there} after ${shortest}`);
          }
          time.learn(databaseTime, roundTrip);
          shortest = Math.min(shortest, there);
          askedAt = roundTrip.answeredAt + 1;
        }
        steady.mock.restore();
      }),
      cases(300),
    );
  });

  it("do not fit when a clock was set or a machine was suspended", () => {
    const roundTrip = { askedAt: 1000, answeredAt: 2300 };
    for (const reported of [0, -60_000, 60_000, 3_600_000, -3_600_000])
      assert.equal(fits(501_000, 501_650 + reported, roundTrip), reported === 0, String(reported));
  });
});
