// Contract, sections 5 and 12: a run that was to deliver and fails tells its own target, in one line and once
// (`deliverFailures`). A real gateway with the Telegram channel, which calls a server of ours.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { newId } from "../../src/core/id.ts";
import { runAndDeliver, sentTo, telegram } from "../support/channels.ts";
import { forEachStore, program, startTestGateway, type StoreKind } from "../support/gateway.ts";

const list = [
  program("main", `process.stderr.write("no *disk* [here](http://x.test)\\n<b>"); process.exitCode = 1`),
  program("slow", "setTimeout(() => {}, 600_000)"),
];

const mappings = [
  { match: { path: "loud" }, messageTemplate: "m", name: "Loud", deliverFailures: true },
  { match: { path: "quiet" }, messageTemplate: "m", name: "Quiet", deliverFailures: false },
  { match: { path: "plain" }, messageTemplate: "m", name: "Plain" },
];

async function start(t: TestContext, store: StoreKind, hooks: Record<string, unknown> = {}) {
  const { url, calls } = await telegram();
  const channels = { telegram: { token: "1:token", apiBase: url, to: "777" } };
  const settings = { agents: { list }, channels, hooks: { mappings, ...hooks } };
  const gateway = await startTestGateway(t, settings, { store });
  return { gateway, sent: () => sentTo(calls) };
}

forEachStore("failures are told", async (t, store) => {
  const { gateway, sent } = await start(t, store);

  await t.test("to the target of the reply, as one line in which outside text is no markup", async () => {
    const { id, status, deliveries } = await runAndDeliver(gateway, "main", { name: "*Disk*", to: "5" });
    assert.equal(status, "failed");
    assert.deepEqual(
      deliveries.map(({ channel, to, status: each }) => [channel, to, each]),
      [["telegram", "5", "sent"]],
    );
    const reason = "the command ended with exit code 1: no *disk* [here](http://x.test) &lt;b&gt;";
    assert.deepEqual(
      sent().map(({ chat_id, text }) => [chat_id, text]),
      [
        [
          5,
          `Hook <code>*Disk*</code> failed: <code>${reason}</code>. More: <code>rouse runs show ${id}</code>`,
        ],
      ],
    );
  });

  await t.test(
    "also when it timed out, and once more when it is retried by hand and fails again",
    async () => {
      const before = sent().length;
      const { id } = await runAndDeliver(gateway, "slow", { timeoutSeconds: 0.2, to: "6" });
      const again = newId();
      assert.equal(await gateway.inspect.repeatRun(id, again), "queued");
      await gateway.ended(again);
      const told = await gateway.waitFor("both lines", async () => {
        const lines = sent().slice(before);
        return lines.length === 2 && lines;
      });
      for (const [at, { chat_id, text }] of told.entries()) {
        assert.equal(chat_id, 6);
        assert.match(text, /^Hook <code>agent<\/code> timed out: <code>no reply within 0\.2 seconds<\/code>/);
        assert.ok(text.includes([id, again][at]!));
      }
    },
  );

  await t.test("not when no reply was to be sent, nor where the mapping says so", async () => {
    const unsent = await runAndDeliver(gateway, "main", { deliver: false });
    const quiet = await runAndDeliver(gateway, "main", {}, "quiet");
    const loud = await runAndDeliver(gateway, "main", {}, "loud");
    const plain = await runAndDeliver(gateway, "main", {}, "plain");
    assert.deepEqual(
      [unsent, quiet, loud, plain].map(({ deliveries }) => deliveries.length),
      [0, 0, 1, 1],
    );
  });

  await t.test("not when it was cancelled", async () => {
    const { json } = await gateway.post("agent", { message: "m", agentId: "slow" });
    const runId = String(json["runId"]);
    await gateway.waitFor(
      "its start",
      async () => (await gateway.inspect.findRun(runId))?.status === "running",
    );
    await gateway.inspect.cancelRun(runId, { error: "it was cancelled", summary: null, heartbeat: null });
    assert.equal((await gateway.ended(runId)).status, "cancelled");
    assert.deepEqual(await gateway.deliveries(runId), []);
  });

  await t.test("not of a heartbeat, though the main session has a last recipient", async () => {
    await gateway.inspect.setLastTarget({ channel: "telegram", to: "42" });
    const before = (await gateway.deliveries()).length;
    await gateway.post("wake", { text: "look" });
    await gateway.waitFor("a failed heartbeat", async () =>
      (await gateway.runs("heartbeat")).some(({ status }) => status === "failed"),
    );
    assert.equal((await gateway.deliveries()).length, before);
    await gateway.inspect.setLastTarget(null);
  });
});

forEachStore("failures are not told", async (t, store) => {
  const { gateway } = await start(t, store, { deliverFailures: false });

  await t.test("where hooks.deliverFailures is false, but for a mapping that says otherwise", async () => {
    const made = await Promise.all([
      runAndDeliver(gateway, "main"),
      runAndDeliver(gateway, "main", {}, "plain"),
      runAndDeliver(gateway, "main", {}, "loud"),
    ]);
    assert.deepEqual(
      made.map(({ deliveries }) => deliveries.length),
      [0, 0, 1],
    );
  });

  await t.test("and no request can ask for it", async () => {
    const { deliveries } = await runAndDeliver(gateway, "main", { deliverFailures: true });
    assert.deepEqual(deliveries, []);
  });
});
