// Contract, sections 4 and 5: two channels, one of them a user's own module, which writes to a file; and fallbacks.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { agents, runAndDeliver, telegram } from "../support/channels.ts";
import { forEachStore, replying, startTestGateway, type StoreKind } from "../support/gateway.ts";

const careful = { ...replying("careful", "Careful."), fallback: { channel: "pager", to: "agent" } };

const pager = `import { appendFileSync } from "node:fs";
export default {
  id: "pager",
  create: ({ file }) => ({
    idempotent: false,
    recipientFault: () => null,
    render: (text) => [text],
    check: async () => ({ ok: true, detail: "" }),
    async send({ to, text }) {
      appendFileSync(new URL(file, import.meta.url), JSON.stringify({ to, text }) + "\\n");
      return { kind: "sent" };
    },
  }),
};`;

const shop = {
  match: { path: "shop" },
  messageTemplate: "m",
  channel: "telegram",
  to: "666",
  wakeMode: "next-heartbeat",
  fallback: { channel: "pager", to: "mapping" },
};

/** A gateway with Telegram and the pager. The pager writes to this file, beside its module. */
async function startWithPager(t: TestContext, store: StoreKind, file = "paged") {
  const { url, calls } = await telegram();
  const plugins = [{ module: "./pager.mjs", settings: { file } }];
  const settings = {
    agents: { list: [...agents.list, careful] },
    hooks: { mappings: [shop] },
    channels: { telegram: { token: "1:token", apiBase: url }, plugins },
  };
  const gateway = await startTestGateway(t, settings, { store, files: { "pager.mjs": pager }, watchMs: 50 });
  const paged = () =>
    readFileSync(join(gateway.folder, "paged"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { to: string; text: string });
  return { gateway, calls, paged };
}

forEachStore("two channels and a fallback: targets", async (t, store) => {
  const { gateway, calls, paged } = await startWithPager(t, store);

  await t.test(
    "last without a last recipient is whatsapp, configured or not, where there are two",
    async () => {
      const { delivery } = await runAndDeliver(gateway, "green");
      assert.deepEqual(
        [delivery?.channel, delivery?.error],
        [
          "whatsapp",
          "no last recipient is set, and the channel whatsapp is not configured; configured: telegram, pager",
        ],
      );
    },
  );

  await t.test("no recipient is known: failed with that reason", async () => {
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "telegram" });
    assert.equal(delivery?.error, "no recipient is known for the channel telegram");
  });

  await t.test("a name that no channel has is refused when the request comes", async () => {
    const { status, json } = await gateway.post("agent", { message: "m", channel: "fax" });
    assert.deepEqual([status, json["code"]], [400, "channel-unknown"]);
  });

  await t.test(
    "a reply that finally fails goes to the mapping's fallback, and its error says so",
    async () => {
      const { deliveries } = await runAndDeliver(gateway, "", {}, "shop");
      assert.deepEqual(
        deliveries.map(({ channel, to, status }) => [channel, to, status]),
        [
          ["pager", "mapping", "sent"],
          ["telegram", "666", "failed"],
        ],
      );
      assert.match(deliveries[1]?.error ?? "", /\(goes to mapping on pager instead\)$/);
      assert.deepEqual(paged().at(-1), { to: "mapping", text: "Done." });
      assert.deepEqual(await gateway.events("notice"), []);
    },
  );

  await t.test("an agent's fallback serves runs without one, and replies without any target", async () => {
    const refused = await runAndDeliver(gateway, "careful", { channel: "telegram", to: "666" });
    assert.deepEqual(
      refused.deliveries.map(({ channel, status }) => [channel, status]),
      [
        ["pager", "sent"],
        ["telegram", "failed"],
      ],
    );
    const { deliveries } = await runAndDeliver(gateway, "careful", { channel: "slack" });
    assert.deepEqual(
      deliveries.map(({ channel, to, status }) => [channel, to, status]),
      [["pager", "agent", "sent"]],
    );
  });

  assert.ok(calls.length > 0);
  assert.ok(!gateway.logLines.some((line) => line.includes("1:token")), "the token is not in the log");
});

forEachStore("two channels and a fallback: reloads", async (t, store) => {
  const { gateway, paged } = await startWithPager(t, store, "elsewhere");
  const config = join(gateway.folder, "rouse.jsonc");

  await t.test("channels of a changed config are taken up without a restart", async () => {
    writeFileSync(config, readFileSync(config, "utf8").replace("elsewhere", "paged"));
    await gateway.waitFor("the reload", async () =>
      gateway.logLines.some((line) => line.includes("the configuration was reloaded")),
    );
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "pager", to: "me" });
    assert.deepEqual([delivery?.status, paged()], ["sent", [{ to: "me", text: "All **green**." }]]);
  });

  await t.test("a broken channel module leaves the last good configuration in use", async () => {
    writeFileSync(join(gateway.folder, "pager.mjs"), "export default {");
    await gateway.waitFor("the problem in the log", async () =>
      gateway.logLines.some((line) => line.includes("pager.mjs cannot be loaded")),
    );
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "pager", to: "still" });
    assert.deepEqual([delivery?.status, paged().at(-1)?.to], ["sent", "still"]);
  });
});

test("a gateway does not start with a channel that cannot be used", async (t) => {
  const settings = { channels: { plugins: ["./pager.mjs"] } };
  await assert.rejects(
    startTestGateway(t, settings, { files: { "pager.mjs": "export default 7;" } }),
    /channels\.plugins\[0\]: pager\.mjs: its default export must be a ChannelPlugin/,
  );
});
