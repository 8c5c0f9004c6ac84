import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeClock, settled } from "../../../test/fakes/clock.ts";
import { createPlaces, type UnprovenPlace, usualPlaceLimits } from "./places.ts";

const limits = { reads: 16, bytes: 1600, waitMs: 2000 };
const place = (holder: string, bytes = 10, share = 1) => ({ holder, bytes, share });

function start(of = limits) {
  const clock = createFakeClock();
  const places = createPlaces(clock, of);
  /** Takes places at once until none is left for this holder. The last one goes on waiting. */
  const fill = (holder: string, share = 1): UnprovenPlace[] => {
    const taken: UnprovenPlace[] = [];
    for (;;) {
      const next = places.take(place(holder, 10, share));
      if (next instanceof Promise) return taken;
      taken.push(next);
    }
  };
  return { clock, places, fill };
}

describe("places for unproven bodies", () => {
  test("a flooded sender leaves half of them, two leave a third", () => {
    const { places, fill } = start();
    assert.equal(fill("flooded").length, 8);
    assert.equal(fill("second").length, 4);
    assert.equal(places.held().reads, 12);
    assert.ok(!(places.take(place("another")) instanceof Promise));
  });

  test("what is known to be a flood gets a small share, and at least one", () => {
    const { fill } = start();
    assert.equal(fill("flood", 1 / 8).length, 2);
    const { fill: fillLate, places } = start();
    for (const holder of ["a", "b", "c", "d"]) fillLate(holder);
    assert.equal(places.held().reads, 15);
    assert.equal(fillLate("flood", 1 / 8).length, 1);
  });

  test("there are never more than the limits, in number and in size", () => {
    const { places, fill } = start({ ...limits, bytes: 100 });
    for (let holder = 0; holder < 30; holder++) fill(`holder ${holder}`);
    assert.ok(places.held().reads <= 16);
    assert.ok(places.held().bytes <= 100);
  });

  test("a large body waits until there is space for it", async () => {
    const { places } = start();
    const first = places.take(place("a", 1000)) as UnprovenPlace;
    const waiting = places.take(place("b", 1000));
    assert.ok(waiting instanceof Promise);
    first.release();
    assert.ok(await waiting);
    assert.equal(places.held().bytes, 1000);
  });

  test("a body larger than all space takes all of it", () => {
    const { places } = start();
    assert.ok(!(places.take(place("a", 1_000_000)) instanceof Promise));
    assert.equal(places.held().bytes, 1600);
  });

  test("who waits in vain is told after two seconds", async () => {
    const { clock, places, fill } = start();
    fill("a");
    let told: unknown = "nothing";
    void Promise.resolve(places.take(place("a"))).then((answer) => (told = answer));
    await clock.advance(1999);
    assert.equal(told, "nothing");
    await clock.advance(1);
    assert.equal(told, null);
    assert.equal(clock.waiting(), 0);
  });

  test("those who wait are served in order, and nobody overtakes them", async () => {
    const { clock, places, fill } = start();
    const [first, second] = fill("a");
    await clock.advance(2000);
    const order: number[] = [];
    for (const at of [1, 2]) void Promise.resolve(places.take(place("a"))).then(() => order.push(at));
    first!.release();
    await settled();
    assert.deepEqual(order, [1]);
    second!.release();
    await settled();
    assert.deepEqual(order, [1, 2]);
    assert.equal(clock.waiting(), 0);
  });

  test("a place is given back once", () => {
    const { places } = start();
    const taken = places.take(place("a")) as UnprovenPlace;
    void places.take(place("b"));
    taken.release();
    taken.release();
    assert.deepEqual(places.held(), { reads: 1, bytes: 10 });
  });

  test("the usual limits are those that are documented", () => {
    assert.deepEqual(usualPlaceLimits, { reads: 64, bytes: 16 * 1024 * 1024, waitMs: 2000 });
  });
});
