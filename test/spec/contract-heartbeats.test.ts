// Contract, section 5: how requests for a heartbeat become heartbeats.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { forEachStore, gated, replying, startTestGateway, type TestGateway } from "../support/gateway.ts";

const heartbeats = (gateway: TestGateway) => gateway.runs("heartbeat");

const allShown = (gateway: TestGateway) =>
  gateway.waitFor("all events to be shown", async () =>
    (await gateway.events()).every(({ shownAt }) => shownAt !== null),
  );

describe("heartbeats", { concurrency: 4 }, () => {
  forEachStore("requests within 250 ms become one", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    // The first is due 250 ms after it was accepted; the rule is about requests that were all accepted before that.
    const made = await gateway.waitFor("three requests within 240 ms", async () => {
      const before = (await heartbeats(gateway)).length;
      const startedAt = performance.now();
      for (const text of ["a", "b", "c"]) await gateway.post("wake", { text });
      const tookMs = performance.now() - startedAt;
      await allShown(gateway);
      return tookMs < 240 && (await heartbeats(gateway)).length - before;
    });
    assert.equal(made, 1);
  });

  forEachStore(
    "one at a time; requests during a turn cause one more, which shows their events",
    async (t, store) => {
      const gateway = await startTestGateway(t, { agents: { list: [gated("main")] } }, { store });
      await gateway.post("wake", { text: "first" });
      await gateway.waitFor("its turn to start", async () => gateway.read("turns").startsWith("starts"));
      for (const text of ["second", "third", "fourth"]) await gateway.post("wake", { text });
      assert.deepEqual(
        (await heartbeats(gateway)).map(({ status }) => status),
        ["queued", "running"],
      );
      gateway.put("go");
      await allShown(gateway);
      const all = await heartbeats(gateway);
      assert.deepEqual(
        all.map(({ status }) => status),
        ["succeeded", "succeeded"],
      );
      assert.ok(all[0]!.startedAt! >= all[1]!.endedAt!, "one after the other");
    },
  );

  forEachStore(
    "a heartbeat's acknowledgement, with up to 300 other characters, is not delivered",
    async (t, store) => {
      for (const reply of ["HEARTBEAT_OK", "**HEARTBEAT_OK**", `HEARTBEAT_OK ${"x".repeat(290)}`]) {
        const gateway = await startTestGateway(t, { agents: { list: [replying("main", reply)] } }, { store });
        await gateway.inspect.setLastTarget({ channel: "telegram", to: "12345" });
        await gateway.post("wake", { text: "x" });
        await allShown(gateway);
        assert.deepEqual(await gateway.deliveries(), [], reply.slice(0, 30));
        assert.equal((await heartbeats(gateway))[0]?.reply, reply, "recorded in any case");
      }
    },
  );

  forEachStore(
    "any other reply goes to the main session's last recipient, if there is one",
    async (t, store) => {
      const gateway = await startTestGateway(
        t,
        { agents: { list: [replying("main", "Look at this")] } },
        { store },
      );
      await gateway.post("wake", { text: "no recipient" });
      await allShown(gateway);
      assert.deepEqual(await gateway.deliveries(), []);
      await gateway.inspect.setLastTarget({ channel: "telegram", to: "12345" });
      await gateway.post("wake", { text: "somebody to tell" });
      await allShown(gateway);
      const [heartbeat] = await heartbeats(gateway);
      const [delivery, ...more] = await gateway.deliveries();
      assert.deepEqual(more, []);
      assert.deepEqual(
        [delivery?.runId, delivery?.channel, delivery?.text],
        [heartbeat?.id, "telegram", "Look at this"],
      );
    },
  );
});
