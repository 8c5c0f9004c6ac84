import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { untilStored } from "./persist.ts";

test("retries until the store is available", async () => {
  const clock = createFakeClock(0);
  let tries = 0;
  const stored = untilStored(
    async () => {
      if (++tries < 4) throw new StoreUnavailable("away");
      return "stored";
    },
    { clock, giveUp: () => false },
  );
  await clock.advance(10_000);
  assert.equal(await stored, "stored");
  assert.equal(tries, 4);
});

test("gives up when the caller says so", async () => {
  const clock = createFakeClock(0);
  const stored = untilStored(async () => Promise.reject(new StoreUnavailable("away")), {
    clock,
    giveUp: () => clock.now() > 3000,
  });
  await clock.advance(10_000);
  assert.equal(await stored, "given-up");
});

test("passes any other fault on", async () => {
  const failing = async () => Promise.reject(new TypeError("bug"));
  await assert.rejects(untilStored(failing, { clock: createFakeClock(0), giveUp: () => false }), TypeError);
});
