import assert from "node:assert/strict";
import { test } from "node:test";
import { Client4 } from "@mattermost/client";
import { channelContract } from "./channel.contract.ts";
import plugin from "./mattermost.ts";
import { platformContract } from "./platform.contract.ts";
import { going, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";

const token = "secrettokensecrettokensecr";
const to = "a1b2c3d4e5f6g7h8i9j0k1l2m3";
const user = "zzzzzzzzzzzzzzzzzzzzzzzzzz";
const create = (apiBase: string, given = token) => plugin.create({ apiBase, token: given }, { fetch });
const done = { status: 201, json: { id: "p1", username: "rouse" } };
const refusal = (status_code: number, id: string, message: string): PlatformReply => ({
  status: status_code,
  json: { id, message, request_id: "r", status_code },
});
const at = async (...reply: Parameters<typeof startPlatform>) => create((await startPlatform(...reply)).url);
const message = { id: "0198c0de-0000-7000-8000-000000000001-0", to, text: "**hello**" };

channelContract("mattermost", {
  to,
  accepting: () => at(done),
  refusing: () =>
    at(refusal(403, "api.context.permissions.app_error", "You do not have the appropriate permissions.")),
  limiting: (ms) =>
    at({ status: 429, headers: { "x-ratelimit-reset": String(ms / 1000) }, text: "limit exceeded\n" }),
  silent: () => at("hang"),
});
platformContract("mattermost", { to, token, create });

test("settings are checked, and their secrets are not shown", () => {
  for (const settings of [
    null,
    {},
    { apiBase: "x", token },
    { apiBase: "ftp://x.test", token },
    { apiBase: "https://x.test", token: "" },
  ]) {
    assert.throws(
      () => plugin.create(settings, { fetch }),
      (fault: Error) => !fault.message.includes(token),
    );
  }
  assert.throws(() => plugin.create({ apiBase: "https://x.test", token, extra: 1 }, { fetch }), /extra/);
});

test("recipients", () => {
  const { recipientFault } = create("http://127.0.0.1:1");
  for (const known of [to, `user:${user}`, "@ada", "@ada.l-1_x"])
    assert.equal(recipientFault(known), null, known);
  for (const other of ["", "town-square", "user:ada", "@", "@Ada", "@a/../b", `${to}x`, `user:${user}/`])
    assert.equal(typeof recipientFault(other), "string", other);
});

test("mentions in a reply notify no one", () => {
  const [text = ""] = create("http://127.0.0.1:1").render("@all, @Channel @here! @allan @here_");
  assert.ok(!/@(all|channel|here)(?![a-z0-9])/i.test(text));
  assert.ok(text.includes("@allan"));
  assert.equal(text.replaceAll("\u200B", "").startsWith("@all, @Channel @here!"), true);
});

test("a person gets it in a direct channel, and both ids are looked up once", async () => {
  const { url, calls } = await startPlatform(({ path }) => ({
    json: { id: path.split("/").at(-1) === "direct" ? "direct1" : path.slice(-3) },
  }));
  const channel = create(url);
  for (const target of ["@ada", "@ada", `user:${user}`])
    assert.deepEqual(await channel.send({ ...message, to: target }, going()), { kind: "sent" });
  assert.deepEqual(
    calls.map(({ method, path, json }) => [`${method} ${path.replace("/api/v4/", "")}`, json]),
    [
      ["GET users/me", undefined],
      ["GET users/username/ada", undefined],
      ["POST channels/direct", ["/me", "ada"]],
      ["POST posts", { channel_id: "direct1", message: message.text, pending_post_id: message.id }],
      ["POST posts", { channel_id: "direct1", message: message.text, pending_post_id: message.id }],
      ["POST channels/direct", ["/me", user]],
      ["POST posts", { channel_id: "direct1", message: message.text, pending_post_id: message.id }],
    ],
  );
});

test("nothing was sent to a person who cannot be found", async () => {
  const missing = refusal(404, "app.user.missing_account.const", "Unable to find the user.");
  const cases: [(path: string) => PlatformReply, string, RegExp][] = [
    [(path) => (path.endsWith("/ada") ? missing : done), "rejected", /no such user/],
    [(path) => (path.endsWith("/me") ? { status: 500, text: "" } : done), "retry", /500/],
    [(path) => (path.endsWith("/direct") ? "reset" : done), "retry", /broke/],
  ];
  for (const [reply, kind, words] of cases) {
    const { url, calls } = await startPlatform(({ path }) => reply(path));
    const outcome = await create(url).send({ ...message, to: "@ada" }, going());
    assert.equal(outcome.kind, kind);
    assert.match((outcome as { reason: string }).reason, words);
    assert.ok(!calls.some(({ path }) => path.endsWith("/posts")));
  }
});

test("Mattermost's refusals", async () => {
  const limit = (headers: Record<string, string>): PlatformReply => ({
    status: 429,
    headers,
    text: "limit exceeded\n",
  });
  const said: [PlatformReply, string, RegExp, (number | null)?][] = [
    [
      refusal(401, "api.context.session_expired.app_error", "Invalid or expired session"),
      "rejected",
      /token/,
    ],
    [refusal(403, "api.context.permissions.app_error", "You do not have"), "rejected", /no permission/],
    [refusal(404, "app.channel.get.existing.app_error", "Unable to find"), "rejected", /no such channel/],
    [refusal(400, "model.post.is_valid.message_length.app_error", "longer than"), "rejected", /too long/],
    [refusal(400, "something.new", "No way."), "rejected", /refused it: No way\.$/],
    [refusal(500, "api.post.deduplicate_create_post.pending", "pending"), "unknown", /500/],
    [limit({ "x-ratelimit-reset": "9", "retry-after": "2" }), "retry", /rate limit/, 2000],
    [limit({ "x-ratelimit-reset": "9" }), "retry", /rate limit/, 9000],
    [limit({}), "retry", /rate limit/, null],
  ];
  for (const [reply, kind, words, afterMs] of said) {
    const outcome = await (await at(reply)).send(message, going());
    assert.equal(outcome.kind, kind);
    assert.match((outcome as { reason: string }).reason, words);
    if (outcome.kind === "retry") assert.equal(outcome.afterMs, afterMs);
  }
});

test("a check names the account", async () => {
  assert.deepEqual(await (await at(done)).check(going()), { ok: true, detail: "the account @rouse" });
});

test("Mattermost's own client sends the same", async () => {
  const { url, calls } = await startPlatform(({ path }) => ({
    json: { id: path.endsWith("/me") ? to : user },
  }));
  await create(url).send({ ...message, to: `user:${user}` }, going());
  const client = new Client4();
  client.setUrl(url);
  client.setToken(token);
  await client.getMe();
  await client.createDirectChannel([to, user]);
  await client.createPost({ channel_id: user, message: message.text, pending_post_id: message.id });
  assert.equal(calls.length, 6);
  for (const step of [0, 1, 2]) {
    const [ours, theirs] = [calls[step]!, calls[step + 3]!];
    assert.equal(ours.path, theirs.path);
    assert.equal(ours.method, theirs.method);
    assert.equal(ours.headers.authorization?.toLowerCase(), theirs.headers.authorization?.toLowerCase());
    // Their client does not label its body as JSON.
    if (theirs.text !== "") assert.deepEqual(ours.json, JSON.parse(theirs.text));
  }
});
