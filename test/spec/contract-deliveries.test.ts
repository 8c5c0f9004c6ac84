// Contract, sections 4 and 5: the target of a reply, and the record of a reply that is not sent. No channel is
// configured.
import assert from "node:assert/strict";
import { plainText } from "../../src/core/message.ts";
import { forEachStore, program, replying, startTestGateway, type TestGateway } from "../support/gateway.ts";

const list = [
  replying("green", "All green."),
  replying("quiet", "**HEARTBEAT_OK**.\n"),
  replying("more", "HEARTBEAT_OK but look at the disk"),
  program("failing", "process.exitCode = 1"),
];

async function run(gateway: TestGateway, agentId: string, fields: Record<string, unknown> = {}) {
  const name = `${agentId} ${JSON.stringify(fields)}`;
  const request = { message: "m", wakeMode: "next-heartbeat", name, agentId, ...fields };
  const { json } = await gateway.post("agent", request);
  const ended = await gateway.ended(json["runId"]);
  const [delivery, ...more] = await gateway.deliveries(ended.id);
  assert.deepEqual(more, []);
  const summaries = (await gateway.events("summary")).map(({ text }) => plainText(text));
  const summary = summaries.find((text) => text.startsWith(`Hook ${name}`))?.slice(`Hook ${name}`.length);
  return { ...ended, delivery, summary };
}

forEachStore("deliveries", async (t, store) => {
  const gateway = await startTestGateway(t, { agents: { list } }, { store });

  await t.test(
    "no channel, and none asked for by name: the reply is kept, and nothing complains",
    async () => {
      const { id, status, reply, delivery, summary } = await run(gateway, "green");
      assert.deepEqual([status, reply], ["succeeded", "All green."]);
      assert.ok(delivery);
      const { runId, channel, to, text, status: sent, error, sentAt, attempts } = delivery;
      assert.deepEqual(
        { runId, channel, to, text, sent, error, sentAt, attempts },
        {
          runId: id,
          channel: "last",
          to: null,
          text: "All green.",
          sent: "suppressed",
          error: "no channel is configured",
          sentAt: null,
          attempts: 0,
        },
      );
      assert.equal(summary, ": All green.", "the summary does not mention it");
      assert.deepEqual(
        gateway.logLines.filter((line) => /"level":"(warn|error)"/.test(line)),
        [],
      );
      assert.deepEqual(await gateway.events("notice"), []);
    },
  );

  await t.test("the delivery records the channel and recipient that were asked for", async () => {
    const { delivery, summary } = await run(gateway, "green", { channel: "telegram", to: "12345" });
    assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["telegram", "12345", "failed"]);
    const reason = "the channel telegram is not configured, and no other is";
    assert.equal(delivery?.error, reason);
    assert.equal(summary, `: All green.\n(The reply was not delivered: ${reason}.)`);
  });

  await t.test("last is the main session's last recipient's channel", async () => {
    await gateway.inspect.setLastTarget({ channel: "signal", to: "+15550100" });
    const { delivery } = await run(gateway, "green", { channel: "last" });
    await gateway.inspect.setLastTarget(null);
    assert.deepEqual([delivery?.channel, delivery?.status], ["signal", "failed"]);
  });

  await t.test("deliver false: nothing is delivered, and the summary mentions no delivery", async () => {
    const { delivery, summary } = await run(gateway, "green", { deliver: false });
    assert.deepEqual([delivery, summary], [undefined, ": All green."]);
  });

  await t.test("a reply that is only a heartbeat acknowledgement is not delivered: suppressed", async () => {
    const { status, delivery, summary } = await run(gateway, "quiet");
    assert.deepEqual([status, delivery?.status, delivery?.sentAt], ["succeeded", "suppressed", null]);
    assert.equal(summary, ": **HEARTBEAT_OK**.");
  });

  await t.test("a hook's reply with more than the acknowledgement is delivered", async () => {
    const { delivery } = await run(gateway, "more");
    assert.equal(delivery?.error, "no channel is configured", "it was to be delivered");
  });

  await t.test("a failure that nobody can be told is kept, and never a failed delivery", async () => {
    for (const fields of [{}, { channel: "telegram", to: "12345" }]) {
      const { status, delivery, summary } = await run(gateway, "failing", fields);
      assert.deepEqual([status, delivery?.status], ["failed", "suppressed"]);
      assert.match(delivery?.text ?? "", /failed: `the command ended with exit code 1/);
      assert.match(summary ?? "", /^ \(failed\): the command ended with exit code 1[^\n]*$/);
    }
  });

  await t.test("deliver false: a failure is told to nobody", async () => {
    const { status, delivery } = await run(gateway, "failing", { deliver: false });
    assert.deepEqual([status, delivery], ["failed", undefined]);
  });
});
