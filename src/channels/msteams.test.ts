import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createEmulator } from "emulate";
import { channelContract } from "./channel.contract.ts";
import { createMsteams } from "./msteams.ts";
import { platformContract } from "./platform.contract.ts";
import {
  deadAddress,
  going,
  type Platform,
  type PlatformReply,
  startPlatform,
} from "../../test/fixtures/recording-platform.ts";
import { messageOn, reasonOf, sendOn } from "../../test/fixtures/sending.ts";

const to = "19:abc_def@thread.tacv2";
const appId = "11111111-2222-3333-4444-555555555555";
const appPassword = "client-secret~1";
const taken = { status: 201, json: { id: "1:abc" } };
const fault = (status: number, code: string, message = "no"): PlatformReply => ({
  status,
  json: { error: { code, message } },
});
const gives = (value: string, seconds: unknown = 3600): PlatformReply => ({
  json: { token_type: "Bearer", expires_in: seconds, access_token: value },
});

const signIn = await startPlatform(gives("token-1"));
const on = (apiBase: string, { now = Date.now, ...more }: { now?: () => number; tokenUrl?: string } = {}) =>
  createMsteams({ appId, appPassword, apiBase, tokenUrl: signIn.url, ...more }, { fetch }, { now });
const responding = async (reply: PlatformReply) => on((await startPlatform(reply)).url);
const sendWith = async (reply: PlatformReply) => sendOn(await responding(reply), to);

channelContract("msteams", {
  to,
  accepting: () => responding(taken),
  refusing: () => responding(fault(404, "ConversationNotFound")),
  limiting: (afterMs) =>
    responding({ status: 429, headers: { "retry-after": `${afterMs / 1000}` }, json: {} }),
  silent: async () => {
    const channel = await responding("hang");
    // With its token at hand, the message leaves at once.
    await channel.check(going());
    return channel;
  },
});
platformContract("msteams", {
  to,
  token: "token-1",
  create: (apiBase) => on(apiBase),
  createForCheck: (tokenUrl) => on("http://127.0.0.1:1", { tokenUrl }),
});

test("a message as the Bot Connector wants it", async () => {
  const { url, calls } = await startPlatform(taken);
  const recipient = "19:a b/../c@thread.tacv2;messageid=17";
  assert.deepEqual(await sendOn(on(`${url}/teams/`), recipient), { kind: "sent" });
  assert.equal(calls[0]?.method, "POST");
  assert.equal(calls[0]?.path, `/teams/v3/conversations/${encodeURIComponent(recipient)}/activities`);
  assert.equal(calls[0]?.headers.authorization, "Bearer token-1");
  assert.deepEqual(calls[0]?.json, { type: "message", text: "Hello.", textFormat: "markdown" });
});

test("recipients are conversations", () => {
  const { recipientFault } = on("http://127.0.0.1:1");
  for (const good of [to, "a:1pL6_x", "19:meeting_x@thread.v2;messageid=1"])
    assert.equal(recipientFault(good), null);
  for (const bad of ["", "ada", "19: x", ":x"])
    assert.match(recipientFault(bad) ?? "", /must be the id/, bad);
  assert.match(recipientFault("29:1abc") ?? "", /of a person/);
});

describe("errors", () => {
  const cases: [PlatformReply, string, RegExp][] = [
    [
      fault(404, "ConversationNotFound", "Conversation not found."),
      "rejected",
      /no such conversation.*: Conversation/,
    ],
    [
      fault(400, "BadArgument", "Failed to decrypt conversation id"),
      "rejected",
      /did not understand.*decrypt/,
    ],
    [fault(403, "BotNotInConversationRoster"), "rejected", /not a member/],
    [fault(403, "ForbiddenOperationException"), "rejected", /does not let the bot write/],
    [fault(413, "MessageSizeTooBig"), "rejected", /too big/],
    [fault(409, "Conflict"), "rejected", /refused it \(409\): no/],
    [fault(412, "PreconditionFailed"), "retry", /busy/],
    [fault(502, "BadGateway"), "retry", /502/],
    [fault(504, "GatewayTimeout"), "retry", /504/],
    [fault(500, "ServiceError"), "unknown", /500/],
    [fault(200, "BotNotInConversationRoster"), "rejected", /not a member/],
    [fault(404, "ConversationNotFound", "for token-1"), "rejected", /: for …$/],
  ];
  for (const [reply, kind, words] of cases)
    test(JSON.stringify(reply), async () => {
      const outcome = await sendWith(reply);
      assert.equal(outcome.kind, kind);
      assert.match(reasonOf(outcome), words);
    });
});

/** A sign-in that gives another token each time, and a connector that takes only the tokens in `good`. */
async function startBoth(good: readonly string[], seconds: unknown = 3600) {
  const tokens = await startPlatform((_call, count) => gives(`token-${count}`, seconds));
  const connector = await startPlatform(({ headers }) =>
    good.includes(headers.authorization?.slice("Bearer ".length) ?? "") ? taken : { status: 401, text: "" },
  );
  return { tokens, connector };
}
const counts = ({ tokens, connector }: { tokens: Platform; connector: Platform }) => [
  tokens.calls.length,
  connector.calls.length,
];

describe("the bot's token", () => {
  test("is requested with the bot's id and secret", async () => {
    const { url, calls } = await startPlatform(gives("token-1"));
    assert.deepEqual(await on("http://127.0.0.1:1", { tokenUrl: `${url}/tenant/token` }).check(going()), {
      ok: true,
      detail: "Microsoft gives the bot a token",
    });
    assert.equal(calls[0]?.path, "/tenant/token");
    assert.match(calls[0]?.headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(calls[0]?.text)), {
      grant_type: "client_credentials",
      client_id: appId,
      client_secret: appPassword,
      scope: "https://api.botframework.com/.default",
    });
  });

  const urlFor = async (settings: { tenant?: string }) => {
    const urls: string[] = [];
    const ask = (url: string | URL | Request) => {
      urls.push(url instanceof Request ? url.url : String(url));
      return Promise.resolve(Response.json({ access_token: "x", expires_in: 1 }));
    };
    await createMsteams({ appId, appPassword, ...settings }, { fetch: ask }).check(going());
    return urls;
  };
  test("comes from Microsoft, from the bot's own tenant where it has one", async () => {
    const service = "https://login.microsoftonline.com";
    assert.deepEqual(await urlFor({}), [`${service}/botframework.com/oauth2/v2.0/token`]);
    assert.deepEqual(await urlFor({ tenant: "contoso.com" }), [`${service}/contoso.com/oauth2/v2.0/token`]);
  });

  test("is kept until shortly before it expires", async () => {
    const both = await startBoth(["token-1", "token-2"]);
    let now = 1_000_000;
    const channel = on(both.connector.url, { tokenUrl: both.tokens.url, now: () => now });
    await sendOn(channel, to);
    now += 54 * 60_000;
    await sendOn(channel, to);
    assert.deepEqual(counts(both), [1, 2]);
    now += 2 * 60_000;
    assert.deepEqual(await sendOn(channel, to), { kind: "sent" });
    assert.deepEqual(counts(both), [2, 3]);
  });

  test("a token without a lifetime is used once", async () => {
    const both = await startBoth(["token-1", "token-2"], "soon");
    const channel = on(both.connector.url, { tokenUrl: both.tokens.url });
    for (let sent = 0; sent < 2; sent++) assert.deepEqual(await sendOn(channel, to), { kind: "sent" });
    assert.deepEqual(counts(both), [2, 2]);
  });

  test("is requested once, however many messages wait for it", async () => {
    const both = await startBoth(["token-1"]);
    const channel = on(both.connector.url, { tokenUrl: both.tokens.url });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sendOn(channel, to)));
    assert.ok(outcomes.every(({ kind }) => kind === "sent"));
    assert.deepEqual(counts(both), [1, 20]);
  });

  test("is renewed once when it is refused, also for many at a time", async () => {
    const both = await startBoth(["token-2"]);
    const channel = on(both.connector.url, { tokenUrl: both.tokens.url });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => sendOn(channel, to)));
    assert.ok(outcomes.every(({ kind }) => kind === "sent"));
    assert.deepEqual(counts(both), [2, 10]);
  });

  test("a second refused token is a refusal", async () => {
    const both = await startBoth([]);
    const outcome = await sendOn(on(both.connector.url, { tokenUrl: both.tokens.url }), to);
    assert.equal(outcome.kind, "rejected");
    assert.match(reasonOf(outcome), /does not accept the bot's token/);
    assert.deepEqual(counts(both), [2, 2]);
  });

  test("a stopped message does not stop the others", async () => {
    const requested = Promise.withResolvers<void>();
    const given = Promise.withResolvers<Response>();
    const { url } = await startPlatform(taken);
    const ask: typeof fetch = (address, init) => {
      if (typeof address === "string" && address.startsWith(url)) return fetch(address, init);
      requested.resolve();
      return given.promise;
    };
    const channel = createMsteams({ appId, appPassword, apiBase: url }, { fetch: ask });
    const stop = new AbortController();
    const stopped = channel.send(messageOn(channel, to), stop.signal);
    const other = sendOn(channel, to);
    await requested.promise;
    stop.abort();
    assert.equal((await stopped).kind, "retry");
    given.resolve(Response.json({ access_token: "x", expires_in: 3600 }));
    assert.deepEqual(await other, { kind: "sent" });
  });

  test("the request is aborted when its last waiter stops; the next message starts another", async () => {
    const tokens = await startPlatform((_call, count) => (count === 1 ? "hang" : gives("token-2")));
    const connector = await startPlatform(taken);
    const channel = on(connector.url, { tokenUrl: tokens.url });
    const stop = new AbortController();
    const stopped = channel.send(messageOn(channel, to), stop.signal);
    while (tokens.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    assert.equal((await stopped).kind, "retry");
    assert.deepEqual(await sendOn(channel, to), { kind: "sent" });
    assert.equal(connector.calls[0]?.headers.authorization, "Bearer token-2");
  });
});

describe("no token, no message", () => {
  const withoutToken = async (reply: PlatformReply) => {
    const connector = await startPlatform(taken);
    const tokens = await startPlatform(reply);
    const outcome = await sendOn(on(connector.url, { tokenUrl: tokens.url }), to);
    assert.equal(connector.calls.length, 0);
    return outcome;
  };

  test("a wrong secret is a refusal, and the reason does not contain it", async () => {
    const description = `AADSTS7000215: Invalid client secret ${appPassword}.\r\nTrace ID: 1`;
    const outcome = await withoutToken({
      status: 401,
      json: { error: "invalid_client", error_description: description },
    });
    assert.equal(outcome.kind, "rejected");
    assert.match(
      reasonOf(outcome),
      /check appId, appPassword and tenant: AADSTS7000215: Invalid client secret …/,
    );
    assert.equal((await withoutToken({ status: 400, json: { error: "invalid_request" } })).kind, "rejected");
    assert.equal((await withoutToken({ status: 404, text: "not here" })).kind, "rejected");
  });

  test("any other failure without a token is a retry", async () => {
    const limit = await withoutToken({ status: 429, headers: { "retry-after": "7" }, text: "" });
    assert.ok(limit.kind === "retry" && limit.afterMs === 7000);
    const busy = await withoutToken({ status: 503, headers: { "retry-after": "3" }, text: "" });
    assert.ok(busy.kind === "retry" && busy.afterMs === 3000);
    const replies: PlatformReply[] = [
      "reset",
      "cut",
      { text: "<html>" },
      { json: { access_token: 7 } },
      { status: 400, json: { error: "temporarily_unavailable" } },
    ];
    for (const reply of replies)
      assert.equal((await withoutToken(reply)).kind, "retry", JSON.stringify(reply));
    const away = await sendOn(on("http://127.0.0.1:1", { tokenUrl: await deadAddress() }), to);
    assert.ok(away.kind === "retry" && away.reason.startsWith("no token for the bot: "));
  });
});

test("an independent sign-in server gives the token", async () => {
  const seed = {
    microsoft: {
      oauth_clients: [{ client_id: appId, client_secret: appPassword, name: "Bot", redirect_uris: [] }],
    },
  };
  const emulator = await createEmulator({ service: "microsoft", port: 0, seed });
  after(() => emulator.close());
  const { url, calls } = await startPlatform(taken);
  const tokenUrl = `${emulator.url}/oauth2/v2.0/token`;
  assert.deepEqual(await sendOn(on(url, { tokenUrl }), to), { kind: "sent" });
  assert.match(calls[0]?.headers.authorization ?? "", /^Bearer \S{10,}$/);
  const wrong = createMsteams({ appId, appPassword: "wrong", apiBase: url, tokenUrl }, { fetch });
  const refused = await wrong.check(going());
  assert.ok(!refused.ok && /gave the bot no token/.test(refused.reason));
});
