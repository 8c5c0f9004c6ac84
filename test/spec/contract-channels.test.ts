// Contract, sections 4 and 5: replies that are delivered. A real gateway with the Telegram channel, which calls a
// server of ours, and a user's own channel, which writes to a file.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type PlatformCall, startPlatform } from "../fixtures/recording-platform.ts";
import { plainText } from "../../src/core/message.ts";
import {
  forEachStore,
  program,
  replying,
  startTestGateway,
  type StoreKind,
  type TestGateway,
} from "../support/gateway.ts";

const longReply = Array.from({ length: 9 }, (_, at) => `Part ${at}. ${"word ".repeat(180)}`).join("\n\n");
const list = [
  replying("green", "All **green**."),
  replying("quiet", "HEARTBEAT_OK"),
  replying("long", longReply),
  program("named", "process.stdout.write(process.env.ROUSE_RUN_ID)"),
  program("main", `process.stdout.write(process.env.ROUSE_SESSION_KEY === "main" ? "Look!" : "Done.")`),
];
const careful = { ...replying("careful", "Careful."), fallback: { channel: "pager", to: "agent" } };
const agents = { list: list.map((agent) => ({ ...agent, default: agent["id"] === "main" })) };

/** Chat 666 refuses everything. */
const telegram = () =>
  startPlatform(({ json }) =>
    (json as { chat_id?: unknown }).chat_id === 666
      ? {
          status: 403,
          json: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
        }
      : { json: { ok: true, result: { message_id: 1 } } },
  );

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

const sentTo = (calls: readonly PlatformCall[]) =>
  calls.map(({ json }) => json as { chat_id: unknown; text: string });

async function run(
  gateway: TestGateway,
  agentId: string,
  fields: Record<string, unknown> = {},
  hook = "agent",
) {
  const request = { message: "m", wakeMode: "next-heartbeat", agentId, ...fields };
  const { json, status } = await gateway.post(hook, request);
  assert.equal(status, 202, JSON.stringify(json));
  const ended = await gateway.ended(json["runId"]);
  const deliveries = await gateway.waitFor("the end of its deliveries", async () => {
    const found = await gateway.deliveries(ended.id);
    return found.every(({ status: each }) => each !== "waiting") && found;
  });
  return { ...ended, deliveries, delivery: deliveries[0] };
}

async function startWithTelegram(t: TestContext, store: StoreKind) {
  const { url, calls } = await telegram();
  const channels = { telegram: { token: "1:token", apiBase: url, to: "777" } };
  const gateway = await startTestGateway(t, { agents, channels }, { store });
  return { gateway, calls, last: () => sentTo(calls).at(-1) };
}

forEachStore("one channel: recipients", async (t, store) => {
  const { gateway, last } = await startWithTelegram(t, store);

  await t.test("a reply goes to the channel and recipient that were asked for", async () => {
    const { delivery } = await run(gateway, "green", { channel: "Telegram", to: "12345" });
    assert.deepEqual(
      [
        delivery?.channel,
        delivery?.to,
        delivery?.status,
        delivery?.attempts,
        delivery?.sentMessages,
        delivery?.error,
      ],
      ["telegram", "12345", "sent", 1, 1, null],
    );
    assert.ok(delivery?.sentAt);
    assert.deepEqual([last()?.chat_id, last()?.text], [12345, "All <b>green</b>."]);
  });

  await t.test("without a last recipient or whatsapp, last is the only configured channel", async () => {
    const { delivery } = await run(gateway, "green");
    assert.deepEqual([delivery?.status, last()?.chat_id], ["sent", 777]);
  });

  await t.test("last is the main session's last recipient", async () => {
    await gateway.inspect.setLastTarget({ channel: "telegram", to: "5" });
    await run(gateway, "green", { channel: "last" });
    assert.equal(last()?.chat_id, 5);
  });

  await t.test("without to it is the last recipient if that is on this channel", async () => {
    await run(gateway, "green", { channel: "telegram" });
    assert.equal(last()?.chat_id, 5);
    await gateway.inspect.setLastTarget({ channel: "signal", to: "+15550100" });
    await run(gateway, "green", { channel: "telegram" });
    assert.equal(last()?.chat_id, 777, "else the channel's own");
  });

  await t.test(
    "a last recipient on a channel that is not configured: failed, and the summary says so",
    async () => {
      const { delivery } = await run(gateway, "green", { name: "lost" });
      assert.deepEqual(
        [delivery?.status, delivery?.error],
        ["failed", "the channel signal is not configured"],
      );
      const summaries = (await gateway.events("summary")).map(({ text }) => plainText(text));
      assert.ok(
        summaries.includes(
          "Hook lost: All **green**.\n(The reply was not delivered: the channel signal is not configured.)",
        ),
      );
      await gateway.inspect.setLastTarget(null);
    },
  );
});

forEachStore("one channel: messages and refusals", async (t, store) => {
  const { gateway, calls } = await startWithTelegram(t, store);

  await t.test("an acknowledgement is not sent", async () => {
    const before = calls.length;
    const { delivery } = await run(gateway, "quiet");
    assert.deepEqual([delivery?.status, calls.length], ["suppressed", before]);
  });

  await t.test("a long reply is several messages, in order", async () => {
    const before = calls.length;
    const { delivery } = await run(gateway, "long", { to: "9" });
    const texts = sentTo(calls.slice(before)).map(({ text }) => text);
    assert.ok(texts.length > 1);
    assert.deepEqual([delivery?.status, delivery?.sentMessages], ["sent", texts.length]);
    const parts = [...texts.join("\n").matchAll(/Part (\d)\./g)].map((found) => found[1]);
    assert.deepEqual(parts, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  });

  await t.test("a refusal is final, has its reason, and is reported to the main session once", async () => {
    const { delivery } = await run(gateway, "green", { channel: "telegram", to: "666" });
    assert.deepEqual([delivery?.status, delivery?.attempts], ["failed", 1]);
    const notices = (await gateway.events("notice")).map(({ text }) => plainText(text));
    assert.deepEqual(notices, [`A reply could not be delivered on telegram: ${delivery?.error}`]);
    assert.match(delivery?.error ?? "", /blocked/);
  });

  await t.test("a recipient of an unknown form is refused without a call to the platform", async () => {
    const before = calls.length;
    const { delivery } = await run(gateway, "green", { channel: "telegram", to: "some body" });
    assert.equal(delivery?.status, "failed");
    assert.match(delivery.error ?? "", /^the recipient must be a chat id/);
    assert.equal(calls.length, before);
  });

  await t.test("replies to one recipient arrive in the order they were made", async () => {
    for (let at = 0; at < 8; at++)
      await gateway.post("agent", { message: "m", to: "31", agentId: "named", wakeMode: "next-heartbeat" });
    const deliveries = await gateway.waitFor("all of them", async () => {
      const found = (await gateway.deliveries()).filter(({ to }) => to === "31");
      return found.length === 8 && found.every(({ status }) => status === "sent") && found;
    });
    const arrived = sentTo(calls).filter(({ chat_id }) => chat_id === 31);
    assert.deepEqual(
      arrived.map(({ text }) => text),
      deliveries.map(({ text }) => text).toReversed(),
    );
  });

  await t.test("a heartbeat's reply goes to the last recipient", async () => {
    await gateway.inspect.setLastTarget({ channel: "telegram", to: "42" });
    await gateway.post("wake", { text: "the disk is full" });
    await gateway.waitFor("the heartbeat's reply", async () =>
      sentTo(calls).some(({ chat_id, text }) => chat_id === 42 && text === "Look!"),
    );
  });
});

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
      const { delivery } = await run(gateway, "green");
      assert.deepEqual(
        [delivery?.channel, delivery?.error],
        ["whatsapp", "the channel whatsapp is not configured"],
      );
    },
  );

  await t.test("no recipient is known: failed with that reason", async () => {
    const { delivery } = await run(gateway, "green", { channel: "telegram" });
    assert.equal(delivery?.error, "no recipient is known for the channel telegram");
  });

  await t.test("a name that no channel has is refused when the request comes", async () => {
    const { status, json } = await gateway.post("agent", { message: "m", channel: "fax" });
    assert.deepEqual([status, json["code"]], [400, "channel-unknown"]);
  });

  await t.test(
    "a reply that finally fails goes to the mapping's fallback, and its error says so",
    async () => {
      const { deliveries } = await run(gateway, "", {}, "shop");
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
    const refused = await run(gateway, "careful", { channel: "telegram", to: "666" });
    assert.deepEqual(
      refused.deliveries.map(({ channel, status }) => [channel, status]),
      [
        ["pager", "sent"],
        ["telegram", "failed"],
      ],
    );
    const { deliveries } = await run(gateway, "careful", { channel: "slack" });
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
    const { delivery } = await run(gateway, "green", { channel: "pager", to: "me" });
    assert.deepEqual([delivery?.status, paged()], ["sent", [{ to: "me", text: "All **green**." }]]);
  });

  await t.test("a broken channel module leaves the last good configuration in use", async () => {
    writeFileSync(join(gateway.folder, "pager.mjs"), "export default {");
    await gateway.waitFor("the problem in the log", async () =>
      gateway.logLines.some((line) => line.includes("pager.mjs cannot be loaded")),
    );
    const { delivery } = await run(gateway, "green", { channel: "pager", to: "still" });
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
