// A rolling upgrade from this version to one with a migration more, in short; `npm run test:upgrade` is the long form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../support/postgres.ts";
import { randomSeed } from "../support/random.ts";
import { nextCode, ownCode } from "./code.ts";
import { upgradeTest } from "./upgrade.ts";

test("old and new nodes side by side over a migration: nothing is lost or done twice", async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const seed = randomSeed();
  t.diagnostic(`seed ${seed}`);
  const codes = { old: ownCode, new: nextCode() };
  const { faults, ...numbers } = await upgradeTest({ codes, databaseUrl: database.url, seed, between: 20 });
  t.diagnostic(JSON.stringify(numbers));
  assert.deepEqual(faults, []);
  assert.ok(numbers.accepted >= 5 * 20, "requests were accepted before and after each step");
});
