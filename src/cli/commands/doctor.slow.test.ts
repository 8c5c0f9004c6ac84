import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, gatewayToken, hookToken, json } from "../../../test/fixtures/command-line.ts";
import { createDatabase } from "../../../test/support/postgres.ts";
import { systemClock } from "../../core/clock.ts";
import { openPostgresStore } from "../../store/postgres/open.ts";
import type { Finding } from "../doctor/finding.ts";

test("on PostgreSQL the clock is compared with the database's", async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  await (await openPostgresStore({ url: database.url, migrate: true })).close();
  const { rouse } = createConfig(t, {
    gateway: { auth: { token: gatewayToken } },
    hooks: { enabled: true, token: hookToken },
    store: { url: database.url },
  });
  const find = async (check: string, clock = systemClock): Promise<Finding | undefined> => {
    const { checks } = json(await rouse(["doctor", "--json"], { clock })) as { checks: Finding[] };
    return checks.find((finding) => finding.check === check);
  };
  assert.equal((await find("store"))?.status, "ok");
  assert.equal((await find("clock"))?.message, "agrees with the database's");
  const behind = await find("clock", { ...systemClock, now: () => Date.now() - 60_000 });
  assert.match(behind?.message ?? "", /^60 s behind the database's/);
});
