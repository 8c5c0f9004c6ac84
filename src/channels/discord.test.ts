import assert from "node:assert/strict";
import { test } from "node:test";
import { REST } from "@discordjs/rest";
import { channelContract } from "./channel.contract.ts";
import { createDiscord } from "./discord.ts";
import { platformContract } from "./platform.contract.ts";
import { going, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";

const token = "MTEy.secret.part";
const to = "112233445566778899";
const user = "998877665544332211";
const create = (apiBase: string, given = token) => createDiscord({ token: given, apiBase }, { fetch });
const done = { json: { id: "1", username: "rouse" } };
const refusal = (status: number, code: number, message: string): PlatformReply => ({
  status,
  json: { code, message },
});
const at = async (...reply: Parameters<typeof startPlatform>) => create((await startPlatform(...reply)).url);
const message = { id: "0198c0de-0000-7000-8000-000000000001-0", to, text: "**hello** @everyone" };

channelContract("discord", {
  to,
  accepting: () => at(done),
  refusing: () => at(refusal(403, 50013, "Missing Permissions")),
  limiting: (ms) =>
    at({
      status: 429,
      headers: { "retry-after": "60" },
      json: { message: "You are being rate limited.", retry_after: ms / 1000, global: false },
    }),
  silent: () => at("hang"),
});
platformContract("discord", { to, token, create });

test("recipients", () => {
  const { recipientFault } = create("http://127.0.0.1:1");
  for (const known of [to, `user:${user}`]) assert.equal(recipientFault(known), null, known);
  for (const other of ["", "general", "#general", "12345", "user:", `user:${user}/x`, `<#${to}>`])
    assert.equal(typeof recipientFault(other), "string", other);
});

test("the body mentions no one, and its nonce identifies a repetition", async () => {
  const { url, calls } = await startPlatform(done);
  const channel = create(url);
  for (const id of [message.id, message.id, "another"]) await channel.send({ ...message, id }, going());
  const [first, again, other] = calls.map(({ json }) => json as { nonce: string; [name: string]: unknown });
  const { nonce, ...rest } = first!;
  assert.deepEqual(rest, {
    content: message.text,
    allowed_mentions: { parse: [] },
    flags: 4,
    enforce_nonce: true,
  });
  assert.ok(nonce.length >= 20 && nonce.length <= 25);
  assert.equal(again!.nonce, nonce);
  assert.notEqual(other!.nonce, nonce);
});

test("a user gets it in a direct channel, which is opened once", async () => {
  const { url, calls } = await startPlatform((call) => ({
    json: { id: call.path.endsWith("@me/channels") ? "77" : "1" },
  }));
  const channel = create(url);
  for (const _ of [1, 2])
    assert.deepEqual(await channel.send({ ...message, to: `user:${user}` }, going()), { kind: "sent" });
  assert.deepEqual(
    calls.map(({ path }) => path),
    ["/users/@me/channels", "/channels/77/messages", "/channels/77/messages"],
  );
  assert.deepEqual(calls[0]!.json, { recipient_id: user });
});

test("without a direct channel, nothing was sent", async () => {
  const cases: [PlatformReply, string][] = [
    [{ status: 500, text: "" }, "retry"],
    ["reset", "retry"],
    [{ text: "{}" }, "retry"],
    [{ status: 429, json: { retry_after: 0.25 } }, "retry"],
    [refusal(400, 50007, "Cannot send messages to this user"), "rejected"],
  ];
  for (const [reply, kind] of cases) {
    const { url, calls } = await startPlatform(reply);
    const outcome = await create(url).send({ ...message, to: `user:${user}` }, going());
    assert.equal(outcome.kind, kind);
    assert.equal(calls.length, 1);
  }
});

test("Discord's refusals", async () => {
  const said: [PlatformReply, string, RegExp][] = [
    [refusal(401, 0, "401: Unauthorized"), "rejected", /does not take the token/],
    [refusal(403, 50001, "Missing Access"), "rejected", /no access/],
    [refusal(403, 50007, "Cannot send messages to this user"), "rejected", /no direct messages/],
    [refusal(404, 10003, "Unknown Channel"), "rejected", /no such channel/],
    [refusal(400, 50035, "Invalid Form Body"), "rejected", /refused it: Invalid Form Body \(50035\)/],
    [{ status: 429, json: { message: "x", retry_after: 0.3051, global: true } }, "retry", /rate limit/],
    [{ status: 429, json: { retry_after: 3600 } }, "rejected", /60 minutes/],
    [refusal(500, 0, "500: Internal Server Error"), "unknown", /500/],
  ];
  for (const [reply, kind, words] of said) {
    const outcome = await (await at(reply)).send(message, going());
    assert.equal(outcome.kind, kind);
    assert.match((outcome as { reason: string }).reason, words);
    if (outcome.kind === "retry") assert.equal(outcome.afterMs, 306);
  }
});

test("a check names the bot", async () => {
  const { url, calls } = await startPlatform(done);
  assert.deepEqual(await create(url).check(going()), { ok: true, detail: "the bot rouse" });
  assert.deepEqual([calls[0]!.method, calls[0]!.path], ["GET", "/users/@me"]);
});

test("discord.js sends the same", async () => {
  const { url, calls } = await startPlatform(done);
  await create(`${url}/v10`).send(message, going());
  const [ours] = calls;
  const rest = new REST({ api: url, version: "10" }).setToken(token);
  await rest.post(`/channels/${to}/messages`, { body: ours!.json });
  await rest.post("/users/@me/channels", { body: { recipient_id: user } });
  await create(`${url}/v10`).send({ ...message, to: `user:${user}` }, going());
  const [, theirs, theirOpening, ourOpening] = calls;
  const pairs = [
    [ours, theirs],
    [ourOpening, theirOpening],
  ];
  for (const [one, other] of pairs) {
    assert.equal(one!.path, other!.path);
    assert.equal(one!.method, other!.method);
    assert.equal(one!.headers.authorization, other!.headers.authorization);
    assert.equal(one!.headers["content-type"], other!.headers["content-type"]);
    assert.deepEqual(one!.json, other!.json);
    for (const call of [one, other])
      assert.match(call!.headers["user-agent"]!, /^DiscordBot \(\S+, [\d.]+\)/);
  }
});
