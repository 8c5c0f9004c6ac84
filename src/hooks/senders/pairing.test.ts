import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { aSender } from "../../../test/builders/sender-row.ts";
import { createPairedKeys } from "./pairing.ts";

function start({ isOpen = true } = {}) {
  const clock = createFakeClock();
  const stored = new Map<string, string>();
  const reads = { count: 0 };
  const store = {
    senderKeys: async () => {
      reads.count++;
      return new Map(stored);
    },
    takeKey: async ({ name, secret }: { name: string; secret: string }) => {
      if (!isOpen || stored.has(name)) return false;
      stored.set(name, secret);
      return true;
    },
  };
  const keys = createPairedKeys({ store, clock });
  return { clock, stored, reads, keys };
}

const paired = aSender(
  { secret: { from: "pairing", where: "it sends one" } },
  { name: "notion", secrets: [] },
);
const plain = aSender({}, { name: "github", secrets: ["configured"] });

describe("keys that arrive by request", () => {
  test("other senders never read them", () => {
    const { keys, reads } = start();
    assert.equal(keys.verifier(plain), plain.verifier);
    assert.equal(keys.pairing(plain), null);
    assert.equal(reads.count, 0);
  });

  test("a configured secret leaves no question open", () => {
    const { keys } = start();
    const configured = aSender({ secret: { from: "pairing", where: "" } }, { secrets: ["configured"] });
    assert.equal(keys.verifier(configured), configured.verifier);
    assert.equal(keys.pairing(configured), null);
  });

  test("a key that is taken counts at once, and is taken once", async () => {
    const { keys } = start();
    assert.equal(await keys.verifier(paired), null);
    assert.equal(await keys.pairing(paired)?.take("the first"), true);
    assert.ok(await keys.verifier(paired));
    assert.equal(await keys.pairing(paired)?.take("another"), false);
    assert.equal(await keys.pairing(paired)?.take("the first"), true, "the sender asks again");
  });

  test("no key is taken outside of a window, nor one without a form", async () => {
    const { keys, stored } = start({ isOpen: false });
    assert.equal(await keys.pairing(paired)?.take("a stranger's"), false);
    const open = start();
    for (const secret of ["", "x".repeat(1025)])
      assert.equal(await open.keys.pairing(paired)?.take(secret), false);
    assert.equal(stored.size + open.stored.size, 0);
  });

  test("the store is read once in five seconds, and each second while no key is there", async () => {
    const { clock, keys, reads, stored } = start();
    for (let count = 0; count < 50; count++) await keys.verifier(paired);
    assert.equal(reads.count, 1);
    stored.set("notion", "taken at another node");
    await clock.advance(1000);
    assert.ok(await keys.verifier(paired));
    for (let count = 0; count < 50; count++) await clock.advance(99).then(() => keys.verifier(paired));
    assert.equal(reads.count, 2);
    stored.delete("notion");
    await clock.advance(100);
    assert.equal(await keys.verifier(paired), null, "forgotten at another node");
  });
});
