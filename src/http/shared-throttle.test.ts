import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock, settled } from "../../test/fakes/clock.ts";
import { createSharedThrottle, type SharedCount } from "./shared-throttle.ts";
import { createThrottle } from "./throttle.ts";

const limits = { max: 3, windowSeconds: 60 };

/** Nodes with one shared count, which can fail or never respond. */
function setUp() {
  const clock = createFakeClock(0);
  const counts = new Map<string, number>();
  const shared = { state: "there" as "there" | "away" | "silent", asked: 0 };
  const count = async (address: string): Promise<SharedCount> => {
    shared.asked++;
    if (shared.state === "away") throw new Error("away");
    if (shared.state === "silent") return new Promise(() => {});
    counts.set(address, (counts.get(address) ?? 0) + 1);
    return { failures: counts.get(address)!, endsInMs: 30_000 };
  };
  const node = () =>
    createSharedThrottle({ local: createThrottle(limits, clock), count, max: () => limits.max, clock });
  return { clock, shared, node };
}

test("failures at several nodes are added up", async () => {
  const { node } = setUp();
  const [a, b] = [node(), node()];
  for (const each of [a, b, a]) assert.equal(await each.fail("x"), null);
  assert.equal(await b.fail("x"), 30);
  assert.equal(await b.fail("y"), null, "addresses are counted apart");
});

test("an address that is known to be limited is not counted again", async () => {
  const { node, shared, clock } = setUp();
  const [one, other] = [node(), node()];
  for (let times = 0; times < 3; times++) await other.fail("x");
  assert.equal(await one.fail("x"), 30);
  const { asked } = shared;
  assert.equal(one.fail("x"), 30, "without asking");
  assert.equal(shared.asked, asked);
  await clock.advance(30_000);
  assert.equal(await one.fail("x"), 30, "its window at this node is over, the shared one is not");
});

test("while the shared count is away each node counts by itself", async () => {
  const { node, shared, clock } = setUp();
  shared.state = "away";
  const one = node();
  for (let times = 0; times < 3; times++) assert.equal(await one.fail("x"), null);
  assert.equal(await one.fail("x"), 60);
  assert.equal(shared.asked, 1, "it is not asked each time");
  shared.state = "there";
  await clock.advance(5000);
  assert.equal(await one.fail("y"), null);
  assert.equal(shared.asked, 2);
});

test("a shared count that does not respond delays a request only for a bounded time", async () => {
  const { node, shared, clock } = setUp();
  shared.state = "silent";
  const one = node();
  const failing = one.fail("x");
  await settled();
  await clock.advance(1000);
  assert.equal(await failing, null);
  assert.equal(one.fail("x"), null, "without asking from now on");
});
