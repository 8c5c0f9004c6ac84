import assert from "node:assert/strict";
import { test } from "node:test";
import { WebClient } from "@slack/web-api";
import { createEmulator } from "emulate";
import { channelContract } from "./channel.contract.ts";
import { platformContract } from "./platform.contract.ts";
import { going, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";
import { createSlack } from "./slack.ts";

const token = "xoxb-1-secret";
const to = "C0123456789";
const create = (apiBase: string, given = token) => createSlack({ token: given, apiBase }, { fetch });
const done = { json: { ok: true, ts: "1700000000.000100", user: "rouse", team: "Acme" } };
const refusal = (error: string, more: object = {}): PlatformReply => ({
  json: { ok: false, error, ...more },
});
const at = async (...reply: Parameters<typeof startPlatform>) => create((await startPlatform(...reply)).url);
const message = { id: "m1", to, text: "*hello* &amp; goodbye" };

channelContract("slack", {
  to,
  accepting: () => at(done),
  refusing: () => at(refusal("not_in_channel")),
  limiting: (ms) =>
    at({
      status: 429,
      headers: { "retry-after": String(ms / 1000) },
      json: { ok: false, error: "ratelimited" },
    }),
  silent: () => at("hang"),
});
platformContract("slack", { to, token, create });

test("recipients", () => {
  const { recipientFault } = create("http://127.0.0.1:1");
  for (const known of [
    to,
    "G0123456789",
    "D0123456789",
    "U0123456789",
    "W0123456789",
    `${to}:thread:1700000000.000100`,
  ])
    assert.equal(recipientFault(known), null, known);
  for (const other of ["", "#general", "general", "@ada", "c0123456789", `${to}:thread:`, `${to} ${to}`])
    assert.equal(typeof recipientFault(other), "string", other);
});

test("mentions in a reply notify no one", () => {
  const [text = ""] = create("http://127.0.0.1:1").render("<!channel> <@U0123456789> & you");
  assert.ok(
    text.includes("&lt;!channel&gt;") && text.includes("&lt;@U0123456789&gt;") && text.includes("&amp; you"),
  );
});

test("Slack's refusals", async () => {
  const said: [PlatformReply, string, RegExp][] = [
    [refusal("channel_not_found"), "rejected", /no such channel/],
    [refusal("not_in_channel"), "rejected", /invite it/],
    [refusal("is_archived"), "rejected", /archived/],
    [refusal("msg_too_long"), "rejected", /too long/],
    [refusal("missing_scope", { needed: "chat:write", provided: "x" }), "rejected", /scope chat:write/],
    [refusal("token_expired"), "rejected", /expired/],
    [refusal("something_new"), "rejected", /refused it: something_new$/],
    [refusal("constructor"), "rejected", /refused it: constructor$/],
    [{ status: 401, json: { ok: false, error: "invalid_auth" } }, "rejected", /does not take the token/],
    [refusal("rate_limited"), "retry", /rate limit/],
    [refusal("internal_error"), "unknown", /internal_error/],
    [refusal("fatal_error"), "unknown", /fatal_error/],
    [{ status: 503, json: { ok: false, error: "service_unavailable" } }, "retry", /service_unavailable/],
    [refusal("request_timeout"), "retry", /request_timeout/],
  ];
  for (const [reply, kind, words] of said) {
    const outcome = await (await at(reply)).send(message, going());
    assert.equal(outcome.kind, kind);
    assert.match((outcome as { reason: string }).reason, words);
  }
});

test("a check names the bot and its workspace", async () => {
  assert.deepEqual(await (await at(done)).check(going()), { ok: true, detail: "the bot rouse in Acme" });
  assert.equal((await (await at(refusal("invalid_auth"))).check(going())).ok, false);
});

test("Slack's own client sends the same", async () => {
  const { url, calls } = await startPlatform(done);
  const thread = "1700000000.000100";
  await create(url).send({ ...message, to: `${to}:thread:${thread}` }, going());
  await new WebClient(token, { slackApiUrl: `${url}/` }).chat.postMessage({
    channel: to,
    thread_ts: thread,
    text: message.text,
    mrkdwn: true,
    unfurl_links: false,
    unfurl_media: false,
  });
  const [ours, theirs] = calls;
  assert.equal(ours!.path, theirs!.path);
  assert.equal(ours!.headers.authorization, theirs!.headers.authorization);
  // Their client sends a form.
  const fields = Object.entries(ours!.json as object).map(([name, value]) => [name, String(value)]);
  assert.deepEqual(Object.fromEntries(fields), Object.fromEntries(new URLSearchParams(theirs!.text)));
});

test("an independent server accepts it, and refuses in Slack's format", async (t) => {
  const slack = await createEmulator({ service: "slack", port: 0 });
  t.after(() => slack.close());
  const api = `${slack.url}/api`;
  const channel = create(api, "test_token_admin");
  assert.equal((await channel.check(going())).ok, true);
  const client = new WebClient("test_token_admin", { slackApiUrl: `${api}/` });
  const { channels = [] } = await client.conversations.list();
  const id = channels[0]!.id!;
  assert.equal(channel.recipientFault(id), null);
  assert.deepEqual(await channel.send({ ...message, to: id }, going()), { kind: "sent" });
  const { messages = [] } = await client.conversations.history({ channel: id });
  assert.ok(messages.some(({ text }) => text === message.text));
  const lost = await channel.send(message, going());
  assert.ok(lost.kind === "rejected" && /no such channel/.test(lost.reason));
  const empty = await channel.send({ ...message, to: id, text: "" }, going());
  assert.ok(empty.kind === "rejected" && /has no text/.test(empty.reason));
});
