import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTally } from "./tally.ts";

const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

describe("the tally of a load", () => {
  it("keeps every latency, over as many pages as it takes", () => {
    const tally = createTally();
    for (let number = 0; number < 150_000; number++) tally.add(number / 10, number, null);
    const latencies = tally.latenciesMs();
    assert.equal(tally.size(), 150_000);
    assert.equal(latencies.length, 150_000);
    assert.deepEqual([latencies[0], latencies[65_536], latencies[149_999]], [0, 6553.6, 14_999.9]);
  });

  it("gives each id with the moment its request was due, and leaves out responses without one", () => {
    const tally = createTally();
    for (let number = 0; number < 140_000; number++)
      tally.add(1, number, number % 2 === 0 ? idOf(number) : null);
    const { ids, dueUs } = tally.identified();
    assert.equal(ids.length, 70_000);
    assert.equal(new Set(ids).size, 70_000);
    assert.ok(ids.every((id, at) => id === idOf(dueUs[at]!)));
  });

  it("is empty before the first response", () => {
    const tally = createTally();
    assert.deepEqual(
      [tally.size(), tally.latenciesMs(), tally.identified()],
      [0, [], { ids: [], dueUs: [] }],
    );
  });
});
