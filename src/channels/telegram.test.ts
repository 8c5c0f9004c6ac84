import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "grammy";
import telegramTestApi from "telegram-test-api";
import { channelContract } from "./channel.contract.ts";
import { platformContract } from "./platform.contract.ts";
import {
  deadAddress,
  going,
  type PlatformReply,
  startPlatform,
} from "../../test/fixtures/recording-platform.ts";
import { createTelegram } from "./telegram.ts";

const token = "123456:AAF-secret_part";
const create = (apiBase: string, given = token) => createTelegram({ token: given, apiBase }, { fetch });
const done = { json: { ok: true, result: { message_id: 1, username: "rouse_bot" } } };
const refusal = (error_code: number, description: string, parameters?: object): PlatformReply => ({
  status: error_code,
  json: { ok: false, error_code, description, ...(parameters ? { parameters } : {}) },
});
const at = async (...reply: Parameters<typeof startPlatform>) => create((await startPlatform(...reply)).url);
const message = (to = "12345", text = "<b>hello</b> &amp; goodbye") => ({ id: "m1", to, text });

channelContract("telegram", {
  to: "12345",
  accepting: () => at(done),
  refusing: () => at(refusal(403, "Forbidden: bot was blocked by the user")),
  limiting: (ms) => at(refusal(429, "Too Many Requests: retry after 7", { retry_after: ms / 1000 })),
  silent: () => at("hang"),
});
platformContract("telegram", { to: "12345", token, create });

test("recipients", () => {
  const { recipientFault } = create("http://127.0.0.1:1");
  for (const to of [
    "12345",
    "-1001234567890",
    "@rouse_news",
    "-1001234567890:topic:7",
    "@rouse_news:topic:7",
  ])
    assert.equal(recipientFault(to), null, to);
  for (const to of [
    "",
    "0",
    "12 345",
    "12345:topic:",
    "12345:topic:x",
    "@a",
    "@1abcd",
    "+15550001111",
    "x/../y",
  ])
    assert.equal(typeof recipientFault(to), "string", to);
});

test("the body: a chat by number or name, a topic, HTML, no preview", async () => {
  const { url, calls } = await startPlatform(done);
  await create(`${url}/`).send(message("-1001234567890:topic:7"), going());
  await create(url).send(message("@rouse_news"), going());
  assert.deepEqual(
    calls.map(({ path }) => path),
    Array(2).fill(`/bot${token}/sendMessage`),
  );
  const common = {
    text: "<b>hello</b> &amp; goodbye",
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  };
  assert.deepEqual(calls[0]!.json, { chat_id: -1_001_234_567_890, message_thread_id: 7, ...common });
  assert.deepEqual(calls[1]!.json, { chat_id: "@rouse_news", ...common });
});

test("markup that Telegram refuses is sent again as plain text, once", async () => {
  const { url, calls } = await startPlatform((call) =>
    "parse_mode" in (call.json as object) ? refusal(400, "Bad Request: can't parse entities: byte 3") : done,
  );
  const text = '<b>a &lt; b</b> &amp;amp; <a href="https://x.test/?a=1&amp;b=2">there</a>';
  assert.deepEqual(await create(url).send(message("1", text), going()), { kind: "sent" });
  assert.deepEqual(calls[1]!.json, {
    chat_id: 1,
    text: "a < b &amp; there (https://x.test/?a=1&b=2)",
    link_preview_options: { is_disabled: true },
  });
  const stubborn = await startPlatform(refusal(400, "Bad Request: can't parse entities"));
  assert.equal((await create(stubborn.url).send(message(), going())).kind, "rejected");
  assert.equal(stubborn.calls.length, 2);
});

test("a message to a moved group is sent to its new id, also as plain text, once", async () => {
  const moved = refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
    migrate_to_chat_id: -1_009_876,
  });
  const { url, calls } = await startPlatform((_call, count) =>
    count === 1 ? refusal(400, "Bad Request: can't parse entities") : count === 2 ? moved : done,
  );
  assert.deepEqual(await create(url).send(message("-77"), going()), { kind: "sent" });
  const sent = calls.map(({ json }) => json as { chat_id: number; text: string });
  assert.deepEqual(
    sent.map(({ chat_id }) => chat_id),
    [-77, -77, -1_009_876],
  );
  assert.equal(sent[2]!.text, "hello & goodbye");
  const wandering = await startPlatform(moved);
  assert.equal((await create(wandering.url).send(message("-77"), going())).kind, "rejected");
  assert.equal(wandering.calls.length, 2);
});

test("Telegram's refusals", async () => {
  const said: [PlatformReply, string, RegExp][] = [
    [refusal(400, "Bad Request: chat not found"), "rejected", /no such chat/],
    [refusal(403, "Forbidden: bot was blocked by the user"), "rejected", /blocked by the user/],
    [refusal(403, "Forbidden: bot was kicked from the supergroup chat"), "rejected", /not a member/],
    [refusal(403, "Forbidden: bot can't initiate conversation with a user"), "rejected", /cannot start/],
    [refusal(403, "Forbidden: user is deactivated"), "rejected", /deactivated/],
    [refusal(400, "Bad Request: message thread not found"), "rejected", /no such topic/],
    [refusal(400, "Bad Request: something new"), "rejected", /refused it: Bad Request: something new$/],
    [refusal(401, "Unauthorized"), "rejected", /does not know the token/],
    [refusal(404, "Not Found"), "rejected", /does not know the token/],
    [refusal(500, "Internal Server Error"), "unknown", /500/],
    [
      { json: { ok: false, error_code: 400, description: "Bad Request: chat not found" } },
      "rejected",
      /no such/,
    ],
    [{ json: { ok: false, error_code: 502, description: "Bad Gateway" } }, "unknown", /502/],
    [{ json: { ok: false } }, "rejected", /refused it/],
  ];
  for (const [reply, kind, words] of said) {
    const outcome = await (await at(reply)).send(message(), going());
    assert.equal(outcome.kind, kind);
    assert.match((outcome as { reason: string }).reason, words);
  }
});

test("a check names the bot", async () => {
  assert.deepEqual(await (await at(done)).check(going()), { ok: true, detail: "the bot @rouse_bot" });
});

test("grammy sends the same", async () => {
  const { url, calls } = await startPlatform(done);
  await create(url).send(message("12345:topic:7"), going());
  const { text } = message();
  await new Api(token, { apiRoot: url }).sendMessage(12_345, text, {
    message_thread_id: 7,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  });
  const [ours, theirs] = calls;
  assert.equal(ours!.path, theirs!.path);
  assert.equal(ours!.method, theirs!.method);
  assert.deepEqual(ours!.json, theirs!.json);
});

test("an independent server accepts it", async (t) => {
  // The module is what its types call its default export.
  const TelegramServer = telegramTestApi as unknown as typeof telegramTestApi.default;
  const port = Number(new URL(await deadAddress()).port);
  const server = new TelegramServer({ port, host: "127.0.0.1" });
  await server.start();
  t.after(() => server.stop());
  const channel = create(server.config.apiURL);
  assert.deepEqual(await channel.check(going()), { ok: true, detail: "the bot @TestNameBot" });
  assert.deepEqual(await channel.send(message(), going()), { kind: "sent" });
  const { result } = await server.getClient(token, { chatId: 12_345 }).getUpdates();
  assert.equal(result.length, 1);
  assert.equal((result[0]!.message as { text: string }).text, message().text);
});
