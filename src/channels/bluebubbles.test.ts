import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { channelContract } from "./channel.contract.ts";
import { createImessage } from "./imessage.ts";
import { platformContract } from "./platform.contract.ts";
import { going, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";
import { reasonOf, sendOn } from "../../test/fixtures/sending.ts";

const to = "+15550001111";
const password = "pass word&secret=1";
const taken = { json: { status: 200, message: "Message sent!", data: { guid: "8DF", error: 0 } } };
const fault = (status: number, type: string, message: string, data: object | null = null): PlatformReply => ({
  status,
  json: { status, message: "Something is wrong", error: { type, message }, data },
});

const on = (apiBase: string, more: object = {}) => createImessage({ apiBase, password, ...more }, { fetch });
const responding = async (reply: PlatformReply) => on((await startPlatform(reply)).url);
const sendWith = async (reply: PlatformReply) => sendOn(await responding(reply), to);

channelContract("imessage (BlueBubbles)", {
  to,
  accepting: () => responding(taken),
  refusing: () => responding(fault(400, "Validation Error", "The chatGuid field is required.")),
  limiting: (afterMs) =>
    responding({ status: 429, headers: { "retry-after": `${afterMs / 1000}` }, text: "" }),
  silent: () => responding("hang"),
});
platformContract("imessage (BlueBubbles)", {
  to,
  token: password,
  create: (apiBase, given = password) => on(apiBase, { password: given }),
});

describe("a message as BlueBubbles wants it", () => {
  const bodyFor = async (recipient: string, more: object = {}) => {
    const { url, calls } = await startPlatform(taken);
    assert.deepEqual(await sendOn(on(`${url}/`, more), recipient), { kind: "sent" });
    assert.equal(calls[0]?.path, `/api/v1/message/text?password=${encodeURIComponent(password)}`);
    return calls[0]?.json as { chatGuid: string; tempGuid: string };
  };

  test("a person's chat is named by how Messages knows them, a chat by its guid", async () => {
    const body = await bodyFor("+1 555 000 1111");
    assert.deepEqual(body, {
      chatGuid: "iMessage;-;+15550001111",
      message: "Hello.",
      tempGuid: body.tempGuid,
      method: "apple-script",
    });
    assert.equal((await bodyFor("Ada@Example.org")).chatGuid, "iMessage;-;ada@example.org");
    assert.equal((await bodyFor("any;+;chat123")).chatGuid, "any;+;chat123");
  });

  test("every attempt at a message has the same temporary guid, and no other has", async () => {
    const { url, calls } = await startPlatform(taken);
    for (const id of ["a-0", "a-0", "a-1"]) await on(url).send({ id, to, text: "x" }, going());
    const guids = calls.map(({ json }) => (json as { tempGuid: string }).tempGuid);
    assert.equal(guids[0], guids[1]);
    assert.notEqual(guids[0], guids[2]);
  });

  test("the method is the configured one", async () => {
    const body = await bodyFor(to, { method: "private-api" });
    assert.ok("method" in body && body.method === "private-api");
  });
});

test("recipients", () => {
  const { recipientFault } = on("http://127.0.0.1:1");
  for (const good of [
    to,
    "ada@example.org",
    "iMessage;-;+15550001111",
    "any;-;ada@example.org",
    "iMessage;+;chat123",
  ])
    assert.equal(recipientFault(good), null);
  for (const bad of ["", "5550001111", "ada", "iMessage;chat123", "iMessage;+;", "a b@example.org"])
    assert.match(recipientFault(bad) ?? "", /must be a phone number/, bad);
});

describe("errors", () => {
  const cases: [string, PlatformReply, string, RegExp][] = [
    ["a wrong password", fault(401, "Authentication Error", "Unauthorized"), "rejected", /password/],
    [
      "validation",
      fault(400, "Validation Error", "A message is required"),
      "rejected",
      /A message is required/,
    ],
    ["no such chat", fault(404, "Database Error", "Chat does not exist!"), "rejected", /Chat does not exist/],
    [
      "the attempt before still runs",
      fault(400, "Validation Error", "Message is already queued to be sent! (Temp GUID: x)"),
      "unknown",
      /still sending/,
    ],
    [
      "Messages failed",
      fault(500, "iMessage Error", "Failed to send message!", { error: 4 }),
      "unknown",
      /Failed to/,
    ],
    [
      "no iMessage",
      fault(500, "iMessage Error", "Failed to send message!", { error: 22 }),
      "rejected",
      /cannot be/,
    ],
  ];
  for (const [title, reply, kind, words] of cases)
    test(`${title}: ${kind}`, async () => {
      const outcome = await sendWith(reply);
      assert.equal(outcome.kind, kind);
      assert.match(reasonOf(outcome), words);
    });

  test("an error in a 200 response is an error", async () => {
    const inside = { ...(fault(400, "Validation Error", "no") as object), status: 200 };
    assert.equal((await sendWith(inside)).kind, "rejected");
  });

  test("no reason holds the password, as written or encoded", async () => {
    const echo = `cannot GET /api/v1/x?password=${password} or ${encodeURIComponent(password)}`;
    const outcome = await sendWith(fault(404, "x", echo));
    assert.match(reasonOf(outcome), /cannot GET/);
    assert.ok(
      !reasonOf(outcome).includes(password) && !reasonOf(outcome).includes(encodeURIComponent(password)),
    );
  });
});

test("a check pings", async () => {
  const { url, calls } = await startPlatform({
    json: { status: 200, message: "Ping received!", data: "pong" },
  });
  assert.deepEqual(await on(url).check(going()), { ok: true, detail: "BlueBubbles responds" });
  assert.equal(calls[0]?.path, `/api/v1/ping?password=${encodeURIComponent(password)}`);
  const refused = await (await responding(fault(401, "Authentication Error", "Unauthorized"))).check(going());
  assert.ok(!refused.ok && /password/.test(refused.reason));
});
