import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { createFakeChannel } from "../../test/fakes/channel.ts";
import { makeFolder } from "../../test/support/folder.ts";
import type { ChannelConfig, ChannelsConfig } from "../config/config.ts";
import { platforms } from "../core/target.ts";
import { createChannels, openChannels } from "./registry.ts";

test("a configured channel is found, with its default recipient", () => {
  const channel = createFakeChannel();
  const channels = createChannels(new Map([["telegram", { channel, to: "5" }]]));
  assert.equal(channels.find("telegram"), channel);
  assert.equal(channels.find("whatsapp"), null);
  assert.deepEqual(channels.configured(), [{ channel: "telegram", to: "5" }]);
});

const folder = makeFolder("registry");
const nothing: ChannelsConfig = { list: [], plugins: [], named: [] };
const tools = { fetch };

const settings: Record<string, object> = {
  whatsapp: { phoneNumberId: "1", token: "t" },
  telegram: { token: "1:t" },
  discord: { token: "t" },
  slack: { token: "t" },
  mattermost: { apiBase: "http://127.0.0.1:9", token: "t" },
  signal: {},
  imessage: { apiBase: "http://127.0.0.1:9", password: "p" },
  msteams: { appId: "a", appPassword: "p" },
};
const channel = (id: string, to: string | null = null): ChannelConfig => ({
  id,
  to,
  settings: settings[id] ?? {},
});

function plugin(name: string, code: string) {
  const module = join(folder, name);
  writeFileSync(module, code);
  return { module, to: "someone", settings: {} };
}
const source = (id: string): string => `export default {
  id: ${JSON.stringify(id)},
  create: () => ({
    idempotent: false,
    recipientFault: () => null,
    render: (text) => [text],
    send: async () => ({ kind: "sent" }),
    check: async () => ({ ok: true, detail: "fine" }),
  }),
};`;

const findingsIn = async (config: Partial<ChannelsConfig>) => {
  const opened = await openChannels({ ...nothing, ...config }, tools);
  return opened.ok ? [] : opened.findings.map(({ path, message }) => [path.join("."), message]);
};

describe("opening channels", () => {
  test("nothing configured loads nothing; a platform loads its own file", async () => {
    const loaded: string[] = [];
    const hooks = registerHooks({
      load(url, context, next) {
        loaded.push(url);
        return next(url, context);
      },
    });
    after(() => hooks.deregister());
    assert.deepEqual((await openChannels(nothing, tools)).ok, true);
    assert.equal(loaded.length, 0);
    await openChannels({ ...nothing, list: [channel("signal")] }, tools);
    hooks.deregister();
    assert.ok(loaded.some((url) => url.endsWith("/channels/signal.ts")));
    assert.ok(!loaded.some((url) => url.endsWith("/channels/telegram.ts")));
  });

  test("all eight platforms", async () => {
    const list = platforms.map((id) => channel(id, `to-${id}`));
    const opened = await openChannels({ ...nothing, list }, tools);
    assert.ok(opened.ok);
    assert.deepEqual(
      opened.channels.configured(),
      platforms.map((id) => ({ channel: id, to: `to-${id}` })),
    );
    for (const id of platforms) assert.ok(opened.channels.find(id)?.render("Hello."), id);
  });

  test("a user's channel is found by its id", async () => {
    const opened = await openChannels({ ...nothing, plugins: [plugin("pager.mjs", source("pager"))] }, tools);
    assert.ok(opened.ok);
    assert.deepEqual(opened.channels.configured(), [{ channel: "pager", to: "someone" }]);
    assert.ok(opened.channels.find("pager"));
  });

  test("one that cannot be loaded or made, or whose id is taken, is a problem of its setting", async () => {
    const found = await findingsIn({
      list: [channel("telegram"), { ...channel("mattermost"), settings: { apiBase: "nowhere", token: "t" } }],
      plugins: [
        plugin("broken.mjs", "export default {"),
        plugin(
          "refusing.mjs",
          'export default { id: "a", create() { throw new Error("needs a folder"); } };',
        ),
        plugin("b.mjs", source("b")),
        plugin("also-b.mjs", source("b")),
        plugin("telegram.mjs", source("telegram")),
      ],
      named: [{ path: ["hooks", "mappings", 0, "channel"], channel: "a" }],
    });
    assert.deepEqual(
      found.map(([path]) => path),
      ["channels.mattermost", ...[0, 1, 3, 4].map((at) => `channels.plugins.${at}`)],
    );
    assert.match(String(found[2]?.[1]), /needs a folder/);
    assert.equal(found[3]?.[1], "there is another channel with the id b");
  });

  test("a name that no channel has is a problem; a platform or plugin is none, configured or not", async () => {
    const path = ["hooks", "mappings", 0, "channel"];
    const found = await findingsIn({
      plugins: [plugin("pager.mjs", source("pager"))],
      named: ["last", "slack", "pager", "telegarm", "fax"].map((name) => ({ path, channel: name })),
    });
    assert.deepEqual(found, [
      ["hooks.mappings.0.channel", "there is no such channel; did you mean telegram?"],
      [
        "hooks.mappings.0.channel",
        "there is no such channel; there are last, whatsapp, telegram, discord, slack, mattermost, signal, imessage, msteams, pager",
      ],
    ]);
  });
});
