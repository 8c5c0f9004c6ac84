import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../core/errors.ts";
import { createGroup } from "./group.ts";

/** Writes last until the test finishes them. */
function heldGroup(fails: (items: readonly number[]) => Error | null = () => null) {
  const writes: { items: readonly number[]; finish: () => void }[] = [];
  const sizes: number[] = [];
  const group = createGroup<number, string>({
    longest: 3,
    onWritten: (size) => sizes.push(size),
    write: (items) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          const fault = fails(items);
          if (fault) reject(fault);
          else resolve(items.map((item) => `stored ${item}`));
        };
        writes.push({ items, finish });
      }),
  });
  const nextWrite = async (index: number) => {
    for (let turns = 0; turns < 1000 && !writes[index]; turns++) await new Promise(setImmediate);
    return writes[index] ?? assert.fail(`there was no write ${index}`);
  };
  return { group, nextWrite, sizes, writes };
}

test("the first item is written at once; items that arrive meanwhile form the next group", async () => {
  const { group, nextWrite, sizes } = heldGroup();
  const first = group.add(1);
  const write = await nextWrite(0);
  assert.deepEqual(write.items, [1]);
  const others = [group.add(2), group.add(3)];
  write.finish();
  assert.equal(await first, "stored 1");
  const next = await nextWrite(1);
  assert.deepEqual(next.items, [2, 3]);
  next.finish();
  assert.deepEqual(await Promise.all(others), ["stored 2", "stored 3"]);
  assert.deepEqual(sizes, [1, 2]);
});

test("a group is at most as long as allowed", async () => {
  const { group, nextWrite } = heldGroup();
  const all = [1, 2, 3, 4].map((item) => group.add(item));
  const write = await nextWrite(0);
  assert.deepEqual(write.items, [1, 2, 3]);
  write.finish();
  (await nextWrite(1)).finish();
  assert.equal((await Promise.all(all)).length, 4);
});

test("an item that makes its group fail fails alone", async () => {
  const { group, nextWrite } = heldGroup((items) => (items.includes(2) ? new Error("poison") : null));
  const results = Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
  for (let write = 0; write < 4; write++) (await nextWrite(write)).finish();
  assert.deepEqual(
    (await results).map((result) => result.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("while the store is unavailable no item is tried again, but the next group is written", async () => {
  let away = true;
  const { group, nextWrite, writes } = heldGroup(() => (away ? new StoreUnavailable("away") : null));
  const results = Promise.allSettled([1, 2].map((item) => group.add(item)));
  (await nextWrite(0)).finish();
  for (const result of await results) {
    assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
  }
  assert.equal(writes.length, 1);
  away = false;
  const later = group.add(3);
  (await nextWrite(1)).finish();
  assert.equal(await later, "stored 3");
});

test("the next group is sent before the callers of the one before it go on", async () => {
  const order: string[] = [];
  const group = createGroup<number, void>({
    longest: 1,
    async write([item]) {
      order.push(`write ${item}`);
      return [undefined];
    },
  });
  await Promise.all([1, 2].map((item) => group.add(item).then(() => order.push(`caller ${item}`))));
  assert.deepEqual(order, ["write 1", "write 2", "caller 1", "caller 2"]);
});

test("after a small group the next ones grow step by step", async () => {
  const sizes: number[] = [];
  const all: Promise<void>[] = [];
  const add = (count: number): void => {
    for (let item = 0; item < count; item++) all.push(group.add(item));
  };
  const group = createGroup<number, void>({
    longest: 50,
    async write(items) {
      if (sizes.push(items.length) === 1) add(150);
      return items.map(() => {});
    },
  });
  add(1);
  await all[0];
  await Promise.all(all);
  assert.deepEqual(sizes, [1, 16, 32, 50, 50, 2]);
  add(30);
  await Promise.all(all);
  assert.deepEqual(sizes.slice(6), [30]);
});
