import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { deadAddress, type PlatformReply, startPlatform } from "../../../test/fixtures/recording-platform.ts";
import { loadConfig } from "../../config/load.ts";
import { checkChannels } from "../doctor/channels.ts";
import { createConfig, createStoredHome, hookToken, json } from "../../../test/fixtures/command-line.ts";

const hooks = { enabled: true, token: hookToken };
const botToken = "123456:SECRET-TOKEN";
const taken: PlatformReply = { json: { ok: true, result: { message_id: 1, username: "rouse_bot" } } };
const withTelegram = (apiBase: string, to?: string) => ({
  hooks,
  channels: { telegram: { token: botToken, apiBase, ...(to && { to }) } },
});
const pager = `export default { id: "pager", create: () => ({
  idempotent: false,
  recipientFault: (to) => (to === "me" ? null : "must be me"),
  render: (text) => text.split("|"),
  send: async ({ text }) => (text === "no" ? { kind: "rejected", reason: "it says no" } : { kind: "sent" }),
  check: async () => ({ ok: true, detail: "it beeps" }),
}) };`;

test("channels lists the configured channels, plugins by their id", async (t) => {
  const { rouse, folder } = createConfig(t, {
    hooks,
    channels: { telegram: { token: botToken, to: "5" }, plugins: ["./pager.mjs"] },
  });
  writeFileSync(join(folder, "pager.mjs"), pager);
  assert.deepEqual(json(await rouse(["channels", "--json"])), [
    { channel: "telegram", kind: "built in", to: "5" },
    { channel: "pager", kind: "plugin", to: null },
  ]);
  assert.match((await rouse(["channels", "list"])).stdout, /telegram +built in +5\npager +plugin +-\n/);
});

test("channels says when none is configured, and what is wrong with one that cannot be opened", async (t) => {
  assert.match((await createConfig(t).rouse(["channels"])).stdout, /^No channels/);
  const { rouse } = createConfig(t, { hooks, channels: { plugins: ["./missing.mjs"] } });
  const { code, stderr } = await rouse(["channels"]);
  assert.equal(code, 1);
  assert.match(stderr, /channels\.plugins\[0\]: missing\.mjs cannot be loaded/);
});

test("a test message goes to the given recipient or the channel's own", async (t) => {
  const { url, calls } = await startPlatform(taken);
  const { rouse } = createConfig(t, withTelegram(url, "7"));
  const sent = await rouse(["channels", "test", "Telegram"]);
  assert.deepEqual([sent.code, sent.stdout], [0, "Sent to 7 on telegram.\n"]);
  const other = await rouse(["channels", "test", "telegram", "--to", "-100", "**Hi**", "--json"]);
  assert.deepEqual(json(other), {
    channel: "telegram",
    to: "-100",
    outcome: "sent",
    sentMessages: 1,
    reason: null,
    retryAfterSeconds: null,
  });
  const bodies = calls.map((call) => call.json as { chat_id: number; text: string });
  assert.deepEqual(
    bodies.map((body) => body.chat_id),
    [7, -100],
  );
  assert.match(bodies[0]?.text ?? "", /test message from Rouse/);
  assert.equal(bodies[1]?.text, "<b>Hi</b>");
});

test("a failed test message is explained without showing the token", async (t) => {
  const cases: [PlatformReply, RegExp][] = [
    [
      { status: 400, json: { ok: false, error_code: 400, description: "Bad Request: chat not found" } },
      /^Not sent: .*chat/,
    ],
    [
      { status: 429, json: { ok: false, error_code: 429, description: "", parameters: { retry_after: 30 } } },
      /^Not sent, try again in 30 seconds: /,
    ],
    ["reset", /^It may have been sent, check on telegram: /],
  ];
  for (const [reply, words] of cases) {
    const { url } = await startPlatform(reply);
    const { code, stdout, stderr } = await createConfig(t, withTelegram(url)).rouse([
      "channels",
      "test",
      "telegram",
      "--to",
      "7",
    ]);
    assert.equal(code, 1);
    assert.match(stdout, words);
    assert.doesNotMatch(stdout + stderr, /SECRET/);
  }
  const { rouse } = createConfig(t, withTelegram(await deadAddress(), "7"));
  assert.match((await rouse(["channels", "test", "telegram"])).stdout, /^Not sent, try again later: /);
});

test("a test in several messages says how many were sent", async (t) => {
  const { rouse, folder } = createConfig(t, { hooks, channels: { plugins: ["./pager.mjs"] } });
  writeFileSync(join(folder, "pager.mjs"), pager);
  const { outcome, sentMessages, reason } = json(
    await rouse(["channels", "test", "pager", "--to", "me", "a|no|b", "--json"]),
  ) as Record<string, unknown>;
  assert.deepEqual([outcome, sentMessages, reason], ["rejected", 1, "it says no"]);
});

test("a test that cannot be made says why", async (t) => {
  const { rouse } = createConfig(t, withTelegram("http://127.0.0.1:9"));
  const failureOf = async (...argv: string[]) => {
    const { code, stderr } = await rouse(["channels", ...argv]);
    return [code, stderr.split("\n", 1)[0]?.replace("rouse channels: ", "")] as const;
  };
  assert.deepEqual(await failureOf("test", "telegarm"), [
    2,
    "There is no channel telegarm. Did you mean telegram?",
  ]);
  assert.equal((await failureOf("test"))[0], 2);
  assert.equal((await failureOf("tset"))[0], 2);
  assert.equal((await failureOf("test", "telegram"))[0], 2);
  assert.match((await failureOf("test", "telegram"))[1] ?? "", /--to RECIPIENT/);
  assert.equal((await failureOf("test", "telegram", " "))[0], 2);
  const [code, line] = await failureOf("test", "slack", "--to", "C1");
  assert.equal(code, 1);
  assert.match(line ?? "", /^slack is not configured/);
  assert.match(
    (await failureOf("test", "telegram", "--to", "nobody"))[1] ?? "",
    /^nobody cannot be a recipient on telegram: it must be a chat id/,
  );
});

test("the main target can be on a plugin, which must accept the recipient", async (t) => {
  const { rouse, folder, store } = await createStoredHome(t, undefined, {
    hooks,
    channels: { plugins: ["./pager.mjs"] },
  });
  writeFileSync(join(folder, "pager.mjs"), pager);
  assert.equal((await rouse(["sessions", "target", "pager", "me"])).code, 0);
  assert.deepEqual(await store.lastTarget(), { channel: "pager", to: "me" });
  const refused = await rouse(["sessions", "target", "pager", "you"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^you cannot be a recipient on pager: it must be me\./);
  assert.equal((await rouse(["sessions", "target", "pgaer", "me"])).code, 2);
});

test("check and doctor report a channel that cannot be used", async (t) => {
  const config = (channel: string) => ({
    hooks: { ...hooks, mappings: [{ messageTemplate: "m", match: { path: "a" }, channel }] },
    channels: { plugins: ["./pager.mjs"] },
  });
  const { rouse, folder, file } = createConfig(t, config("pager"));
  writeFileSync(join(folder, "pager.mjs"), pager);
  assert.equal((await rouse(["check"])).code, 0);
  writeFileSync(file, JSON.stringify(config("paper")));
  const { code, stdout } = await rouse(["check"]);
  assert.equal(code, 1);
  assert.match(stdout, /hooks\.mappings\[0\]\.channel: there is no such channel; did you mean pager\?/);
  const { checks } = json(await rouse(["doctor", "--json"])) as {
    checks: { check: string; status: string }[];
  };
  assert.equal(checks.find(({ check }) => check === "channels")?.status, "fail");
});

test("doctor checks the credentials of every channel, each within a time limit", async (t) => {
  const [good, bad, silent] = await Promise.all([
    startPlatform(taken),
    startPlatform({ json: { ok: false, error: "invalid_auth" } }),
    startPlatform("hang"),
  ]);
  const { file } = createConfig(t, {
    hooks,
    channels: {
      telegram: { token: botToken, apiBase: good.url },
      slack: { token: "xoxb-SECRET", apiBase: bad.url },
      discord: { token: "SECRET", apiBase: silent.url },
      signal: { apiBase: "http://127.0.0.1:9", to: "nobody" },
    },
  });
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok);
  const findings = await checkChannels(loaded, 1500);
  const of = (name: string) => findings.find(({ check }) => check === `channel ${name}`);
  assert.deepEqual(
    ["telegram", "slack", "discord", "signal"].map((name) => of(name)?.status),
    ["ok", "fail", "fail", "fail"],
  );
  assert.match(of("telegram")?.message ?? "", /@rouse_bot/);
  assert.match(of("signal")?.message ?? "", /^its default recipient must/);
  assert.match(of("discord")?.fix ?? "", /rouse channels test discord/);
  assert.doesNotMatch(JSON.stringify(findings), /SECRET/);
});
