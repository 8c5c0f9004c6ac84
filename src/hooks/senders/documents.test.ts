import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createDocuments } from "./documents.ts";

const hourMs = 3_600_000;

function setUp() {
  const clock = createFakeClock();
  const asked: string[] = [];
  let isAway = false;
  const fetchText = async (url: string): Promise<string> => {
    asked.push(url);
    if (isAway) throw new Error("away");
    return `${url} ${asked.length}`;
  };
  const find = createDocuments({ clock, fetchText });
  return { clock, asked, find, goAway: () => (isAway = true) };
}

test("a document is fetched once an hour, and once for several that wait for it", async () => {
  const { clock, asked, find } = setUp();
  assert.deepEqual(await Promise.all([find("a"), find("a")]), ["a 1", "a 1"]);
  await clock.advance(hourMs - 1);
  assert.equal(await find("a"), "a 1");
  await clock.advance(1);
  assert.equal(await find("a"), "a 2");
  assert.deepEqual(asked, ["a", "a"]);
});

test("an older copy can be refused, such as where a key is not in it", async () => {
  const { clock, find } = setUp();
  await find("a");
  await clock.advance(60_000);
  assert.equal(await find("a", 60_000), "a 2");
  assert.equal(await find("a", 60_000), "a 2");
});

test("a copy serves for a day while its address is away; then, and without a copy, it rejects", async () => {
  const { clock, find, goAway } = setUp();
  await find("a");
  goAway();
  await clock.advance(23 * hourMs);
  assert.equal(await find("a"), "a 1");
  await clock.advance(hourMs);
  await assert.rejects(find("a"), /away/);
  await assert.rejects(find("b"), /away/);
});

test("whoever names ever other documents has ten of them fetched in a minute; copies go on serving", async () => {
  const { clock, asked, find } = setUp();
  await find("kept");
  for (let at = 0; at < 9; at++) await find(`other ${at}`);
  await assert.rejects(find("one more"), /too many/);
  assert.equal(await find("kept"), "kept 1");
  assert.equal(asked.length, 10);
  await clock.advance(60_000);
  assert.equal(await find("one more"), "one more 11");
});

test("at most 32 documents are kept", async () => {
  const { clock, asked, find } = setUp();
  for (let at = 0; at < 33; at++) {
    await find(String(at));
    await clock.advance(10_000);
  }
  await find("32");
  assert.equal(asked.length, 33);
  await find("0");
  assert.equal(asked.length, 34);
});
