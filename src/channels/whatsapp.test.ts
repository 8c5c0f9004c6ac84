import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { channelContract } from "./channel.contract.ts";
import { platformContract } from "./platform.contract.ts";
import { going, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";
import { bodyOf, reasonOf, sendOn } from "../../test/fixtures/sending.ts";
import { createWhatsapp } from "./whatsapp.ts";

const to = "+15550001111";
const token = "EAAB-token-of-a-system-user";
const taken = { json: { messaging_product: "whatsapp", messages: [{ id: "wamid.1" }] } };
const about = { json: { verified_name: "Rouse", display_phone_number: "+1 555-000-2222", id: "105" } };
const fault = (code: number, message = "refused", status = 400, details?: string): PlatformReply => ({
  status,
  json: {
    error: {
      message,
      type: "OAuthException",
      code,
      fbtrace_id: "x",
      ...(details && { error_data: { details } }),
    },
  },
});

const template = { name: "news", language: "en_US" };
const on = (apiBase: string, more: object = {}) =>
  createWhatsapp({ phoneNumberId: "105", token, apiBase, ...more }, { fetch });
const responding = async (reply: PlatformReply, more: object = {}) =>
  on((await startPlatform(reply)).url, more);

channelContract("whatsapp", {
  to,
  accepting: async () => on((await startPlatform(({ method }) => (method === "GET" ? about : taken))).url),
  refusing: () => responding(fault(131_026)),
  limiting: (afterMs) =>
    responding({ status: 429, headers: { "retry-after": `${afterMs / 1000}` }, text: "slow down" }),
  silent: () => responding("hang"),
});
platformContract("whatsapp", {
  to,
  token,
  create: (apiBase, given = token) => on(apiBase, { token: given }),
});

test("a message as the Cloud API wants it", async () => {
  const { url, calls } = await startPlatform(taken);
  assert.deepEqual(await sendOn(on(`${url}/v26.0/`), "+1 (555) 000-1111", "Hello."), { kind: "sent" });
  const [call] = calls;
  assert.equal(call?.path, "/v26.0/105/messages");
  assert.equal(call?.headers.authorization, `Bearer ${token}`);
  assert.deepEqual(call?.json, {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to,
    type: "text",
    text: { body: "Hello.", preview_url: false },
  });
});

test("recipients are international phone numbers", () => {
  const { recipientFault } = on("http://x");
  for (const good of [to, "+49 30/1234-567", "+1.555.000.1111"]) assert.equal(recipientFault(good), null);
  for (const bad of [
    "5550001111",
    "+0 555 000 1111",
    "+44 (0)20 7946 0000",
    "+1",
    "ada",
    "+123456789012345678",
  ])
    assert.match(recipientFault(bad) ?? "", /phone number/);
});

describe("refusals and their reasons", () => {
  const cases: [number, RegExp][] = [
    [131_026, /may not be on WhatsApp/],
    [131_030, /on its list/],
    [190, /make a new one/],
    [100, /expects \(error 100: Invalid parameter\)/],
    [131_047, /24 hours.*channels\.whatsapp\.template/],
    [131_031, /WhatsApp refused it \(error 131031: Invalid parameter\)/],
  ];
  for (const [code, words] of cases)
    test(`${code}`, async () => {
      const outcome = await sendOn(await responding(fault(code, "Invalid parameter")), to);
      assert.equal(outcome.kind, "rejected");
      assert.match(reasonOf(outcome), words);
    });

  test("the reason has the platform's details, but not its echo of the token", async () => {
    const outcome = await sendOn(await responding(fault(100, "x", 400, "language is missing")), to);
    assert.match(reasonOf(outcome), /error 100: language is missing/);
    const echo = await sendOn(await responding(fault(190, `Malformed access token ${token}`, 401)), to);
    assert.equal(echo.kind, "rejected");
    assert.ok(!reasonOf(echo).includes(token));
    assert.match(reasonOf(echo), /Malformed access token …/);
  });

  test("an error in a 200 response is an error", async () => {
    assert.equal((await sendOn(await responding(fault(131_026, "no", 200)), to)).kind, "rejected");
    assert.equal(
      (await sendOn(await responding(fault(131_000, "Something went wrong", 200)), to)).kind,
      "retry",
    );
    assert.equal((await sendOn(await responding({ json: { messages: [] } }), to)).kind, "unknown");
  });
});

describe("limits", () => {
  for (const code of [130_429, 131_056, 80_007])
    test(`${code} names no delay`, async () => {
      const outcome = await sendOn(await responding(fault(code)), to);
      assert.ok(outcome.kind === "retry" && outcome.afterMs === null);
    });

  for (const code of [2, 131_000, 131_016, 131_057, 133_004])
    test(`${code} was not sent, also with a 5xx`, async () => {
      assert.equal((await sendOn(await responding(fault(code, "x", 500)), to)).kind, "retry");
      assert.equal((await sendOn(await responding(fault(code, "x", 503)), to)).kind, "retry");
    });

  test("a fault that WhatsApp does not know may have come after sending", async () => {
    assert.equal((await sendOn(await responding(fault(1, "x", 200)), to)).kind, "unknown");
    assert.equal((await sendOn(await responding(fault(1, "x", 500)), to)).kind, "unknown");
  });

  test("after a 5xx with an error, the message may have been sent", async () => {
    assert.equal((await sendOn(await responding(fault(131_026, "no", 500)), to)).kind, "unknown");
  });
});

type TemplateMessage = { template: { components: { parameters: { text: string }[] }[] } };

describe("the closed window", () => {
  const closed = fault(131_047, "Re-engagement message");
  const sendTo = async (second: PlatformReply, markdown: string) => {
    const platform = await startPlatform((_call, count) => (count === 1 ? closed : second));
    const outcome = await sendOn(on(platform.url, { template }), to, markdown);
    return { outcome, calls: platform.calls };
  };

  test("the template is sent instead, with the text on one line", async () => {
    const { outcome, calls } = await sendTo(taken, "Two\n\nlines\tand     room");
    assert.deepEqual(outcome, { kind: "sent" });
    assert.equal(calls.length, 2);
    assert.deepEqual(calls[1]?.json, {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to,
      type: "template",
      template: {
        name: "news",
        language: { code: "en_US" },
        components: [{ type: "body", parameters: [{ type: "text", text: "Two lines and room" }] }],
      },
    });
  });

  test("a long text is cut, and shows it", async () => {
    const { calls } = await sendTo(taken, "🙂".repeat(900));
    const { template: sent } = bodyOf(calls, 1) as TemplateMessage;
    const text = sent.components[0]?.parameters[0]?.text ?? "";
    assert.ok(text.length <= 1024 && text.length > 1020 && text.endsWith("🙂…") && text.isWellFormed());
  });

  test("the outcome of the template is that of the message", async () => {
    const refused = await sendTo(fault(132_001, "Template name does not exist"), "x");
    assert.equal(refused.outcome.kind, "rejected");
    assert.match(reasonOf(refused.outcome), /132001: Template name does not exist/);
    assert.equal((await sendTo("reset", "x")).outcome.kind, "unknown");
    assert.equal((await sendTo(fault(130_429), "x")).outcome.kind, "retry");
    const again = await sendTo(closed, "x");
    assert.equal(again.outcome.kind, "rejected");
    assert.equal(again.calls.length, 2);
  });
});

test("a check names the number or the fault", async () => {
  const { url, calls } = await startPlatform(about);
  assert.deepEqual(await on(url).check(going()), { ok: true, detail: "Rouse, +1 555-000-2222" });
  assert.equal(calls[0]?.path, "/105?fields=verified_name,display_phone_number");
  assert.equal(calls[0]?.headers.authorization, `Bearer ${token}`);
  const expired = await (await responding(fault(190, `Error validating ${token}`, 401))).check(going());
  assert.ok(!expired.ok && /not valid any more/.test(expired.reason) && !expired.reason.includes(token));
});
