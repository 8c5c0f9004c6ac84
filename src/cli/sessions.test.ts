import assert from "node:assert/strict";
import test from "node:test";
import { createStoredHome, json } from "./fixture.ts";

test("the target is set, shown and taken away", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  assert.equal(json(await rouse(["sessions", "target", "--json"])), null);
  const set = await rouse(["sessions", "target", "Telegram", "--", "-100123"]);
  assert.equal(set.code, 0, set.stderr);
  assert.deepEqual(await store.lastTarget(), { channel: "telegram", to: "-100123" });
  assert.match((await rouse(["sessions", "target"])).stdout, /-100123 on telegram/);
  assert.equal((await rouse(["sessions", "target", "none"])).code, 0);
  assert.equal(await store.lastTarget(), null);
});

test("what is no target is wrong usage", async (t) => {
  const { rouse } = await createStoredHome(t);
  assert.match((await rouse(["sessions", "target", "telegramm", "1"])).stderr, /Did you mean telegram\?/);
  for (const argv of [["target", "last", "1"], ["target", "slack"], ["target", "slack", " "], [], ["list"]])
    assert.equal((await rouse(["sessions", ...argv])).code, 2, argv.join(" "));
});
