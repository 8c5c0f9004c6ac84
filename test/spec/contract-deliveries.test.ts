// Contract, sections 4 and 5: where a reply goes, and what is recorded when it goes nowhere. No channel is configured.
import assert from "node:assert/strict";
import {
  forEachStore,
  program,
  replying,
  startTestGateway,
  type StoreKind,
  type TestGateway,
} from "../support/gateway.ts";
import type { TestContext } from "node:test";

const start = (t: TestContext, store: StoreKind, reply: string) =>
  startTestGateway(t, { agents: { list: [replying("main", reply)] } }, { store });

async function run(gateway: TestGateway, fields: Record<string, unknown> = {}) {
  const { json } = await gateway.post("agent", { message: "m", wakeMode: "next-heartbeat", ...fields });
  const ended = await gateway.ended(json["runId"]);
  const [delivery, ...more] = await gateway.deliveries(ended.id);
  assert.deepEqual(more, []);
  return { ...ended, delivery };
}

forEachStore(
  "no recipient: the run keeps its result, the delivery failed with the reason, the summary says so",
  async (t, store) => {
    const gateway = await start(t, store, "All green.");
    const { id, status, reply, delivery } = await run(gateway, { name: "Build" });
    assert.deepEqual([status, reply], ["succeeded", "All green."]);
    assert.ok(delivery);
    const { runId, channel, to, text, status: sent, error, sentAt, attempts } = delivery;
    assert.deepEqual(
      { runId, channel, to, text, sent, error, sentAt, attempts },
      {
        runId: id,
        channel: "whatsapp",
        to: null,
        text: "All green.",
        sent: "failed",
        error: "no channel is configured",
        sentAt: null,
        attempts: 0,
      },
    );
    assert.deepEqual(
      (await gateway.events("summary")).map((event) => event.text),
      ["Hook Build: All green.\n(The reply was not delivered: no channel is configured.)"],
    );
  },
);

forEachStore("the delivery records the channel and recipient that were asked for", async (t, store) => {
  const gateway = await start(t, store, "Hello");
  const { delivery } = await run(gateway, { channel: "telegram", to: "12345" });
  assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["telegram", "12345", "failed"]);
});

forEachStore("last is the main session's last recipient's channel", async (t, store) => {
  const gateway = await start(t, store, "Hello");
  await gateway.inspect.setLastTarget({ channel: "signal", to: "+15550100" });
  const { delivery } = await run(gateway, { channel: "last" });
  assert.deepEqual([delivery?.channel, delivery?.status], ["signal", "failed"]);
});

forEachStore("deliver false: nothing is delivered, and the summary has no complaint", async (t, store) => {
  const gateway = await start(t, store, "Hello");
  const { delivery } = await run(gateway, { deliver: false });
  assert.equal(delivery, undefined);
  assert.deepEqual(
    (await gateway.events("summary")).map(({ text }) => text),
    ["Hook: Hello"],
  );
});

forEachStore(
  "a reply that is only a heartbeat acknowledgement is not delivered: suppressed",
  async (t, store) => {
    const gateway = await start(t, store, "**HEARTBEAT_OK**.\n");
    const { status, delivery } = await run(gateway, { name: "Quiet" });
    assert.deepEqual([status, delivery?.status, delivery?.sentAt], ["succeeded", "suppressed", null]);
    assert.deepEqual(
      (await gateway.events("summary")).map(({ text }) => text),
      ["Hook Quiet: **HEARTBEAT_OK**."],
    );
  },
);

forEachStore("a hook's reply that says more than the acknowledgement is delivered", async (t, store) => {
  const gateway = await start(t, store, "HEARTBEAT_OK but look at the disk");
  const { delivery } = await run(gateway);
  assert.equal(delivery?.status, "failed", "it was to be delivered, and there is no channel");
});

forEachStore("a run without a reply has no delivery", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { agents: { list: [program("main", "process.exitCode = 1")] } },
    { store },
  );
  const { status, delivery } = await run(gateway);
  assert.deepEqual([status, delivery], ["failed", undefined]);
});
