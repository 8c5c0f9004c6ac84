// A gateway whose PostgreSQL is far away: everything takes longer, and ends as it would nearby.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Wire } from "../lab/proxy.ts";
import { agents, sentTo, telegram } from "../support/channels.ts";
import { startTestGateway } from "../support/gateway.ts";
import { overWire } from "../support/slow-wire.ts";

const boundMs = 80_000;

suite("a database that is far away", { concurrency: true }, () => {
  for (const [ms, jitterMs] of [
    [650, 0],
    [800, 200],
  ] as const)
    test(
      `${ms} ms each way, up to ${jitterMs} more: requests, runs and deliveries end right`,
      { timeout: 90_000 },
      async (t) => {
        const platform = await telegram();
        let wire: Wire | undefined;
        t.after(() => wire?.close());
        const gateway = await startTestGateway(
          t,
          { agents, channels: { telegram: { token: "1:token", apiBase: platform.url } } },
          {
            store: "postgres",
            async reach(url) {
              const over = await overWire(url);
              wire = over.wire;
              return over.long;
            },
          },
        );
        wire!.slow({ ms, jitterMs });
        const request = {
          message: "m",
          wakeMode: "next-heartbeat",
          agentId: "named",
          channel: "telegram",
          to: "5",
        };

        /** As a caller does: again under its key, while the answer is 503. */
        async function post(key: string, fields: object): Promise<string> {
          for (const givenUpAt = performance.now() + boundMs; ;) {
            const { status, json } = await gateway.post("agent", { ...request, ...fields }, [
              `Idempotency-Key: ${key}`,
            ]);
            if (status === 202) return String(json["runId"]);
            assert.equal(status, 503, JSON.stringify(json));
            assert.ok(performance.now() < givenUpAt, "accepted at last");
          }
        }
        const ids = await Promise.all([post("one", {}), post("two", { to: "6" }), post("one", {})]);
        assert.equal(ids[0], ids[2], "one key, one run");
        const runs = await Promise.all(ids.slice(0, 2).map((id) => gateway.ended(id)));
        for (const { status, attempts, id, reply } of runs)
          assert.deepEqual([status, attempts, reply], ["succeeded", 1, id]);
        await gateway.waitFor("both deliveries", async () => {
          const deliveries = await gateway.deliveries();
          return deliveries.length === 2 && deliveries.every(({ status }) => status === "sent");
        });
        assert.deepEqual(
          sentTo(platform.calls)
            .map(({ text }) => text)
            .toSorted(),
          ids.slice(0, 2).toSorted(),
        );
        assert.equal((await gateway.events("summary")).length, 2);
        assert.equal((await gateway.runs()).length, 2);
        wire!.mend();
      },
    );
});
