import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { channelContract } from "./channel.contract.ts";
import { platformContract } from "./platform.contract.ts";
import {
  going,
  type PlatformCall,
  type PlatformReply,
  startPlatform,
} from "../../test/fixtures/recording-platform.ts";
import { bodyOf, reasonOf, sendOn } from "../../test/fixtures/sending.ts";
import { createSignal } from "./signal.ts";

const to = "+15550001111";
const account = "+15550002222";
const address = { uuid: "5b2b4ad0-7f3c-4bd2-8a6e-0d6b0a1d7c11", number: to };

const idOf = ({ json }: PlatformCall) => (json as { id: string }).id;
const result = (value: unknown) => (call: PlatformCall) => ({
  json: { jsonrpc: "2.0", id: idOf(call), result: value },
});
const error =
  (code: number, message = "Failed to send message", data?: unknown) =>
  (call: PlatformCall) => ({
    json: { jsonrpc: "2.0", id: idOf(call), error: { code, message, data } },
  });
const results = (...list: object[]) => ({
  timestamp: 1,
  results: list.map((one) => ({ recipientAddress: address, ...one })),
});
const taken = result(results({ type: "SUCCESS" }));

const on = (apiBase: string, more: object = {}) => createSignal({ apiBase, ...more }, { fetch });
const responding = async (reply: Parameters<typeof startPlatform>[0]) => on((await startPlatform(reply)).url);
const sendWith = async (reply: Parameters<typeof startPlatform>[0]) => sendOn(await responding(reply), to);

channelContract("signal", {
  to,
  accepting: () => responding(taken),
  refusing: () =>
    responding(error(-1, "Failed to send message", { response: results({ type: "UNREGISTERED_FAILURE" }) })),
  limiting: (afterMs) =>
    responding(
      error(-5, "rate limit", {
        response: results({ type: "RATE_LIMIT_FAILURE", retryAfterSeconds: afterMs / 1000 }),
      }),
    ),
  silent: () => responding("hang"),
});
platformContract("signal", { to, token: "it has none", create: (apiBase) => on(apiBase) });

describe("the request to signal-cli", () => {
  const paramsFor = async (recipient: string, more: object = {}, markdown = "Hello.") => {
    const { url, calls } = await startPlatform(taken);
    assert.deepEqual(await sendOn(on(`${url}/`, more), recipient, markdown), { kind: "sent" });
    assert.equal(calls[0]?.path, "/api/v1/rpc");
    assert.equal(calls[0]?.method, "POST");
    assert.equal(calls[0]?.headers["content-type"], "application/json");
    assert.equal(calls[0]?.headers.host, new URL(url).host);
    const { params, ...rest } = bodyOf(calls) as { params: unknown; id: string };
    assert.deepEqual(rest, { jsonrpc: "2.0", id: rest.id, method: "send" });
    return params;
  };

  test("a phone number", async () => {
    const params = await paramsFor("+1 (555) 000-1111", { account });
    assert.deepEqual(params, { account, recipient: [to], message: "Hello." });
  });

  test("an account's id, a group", async () => {
    assert.deepEqual(await paramsFor(address.uuid.toUpperCase()), {
      recipient: [address.uuid],
      message: "Hello.",
    });
    const groupId = "q7Ue+0t/Rx1mVb3mVw2q5gqkD1bS0N7vJm2S3n9zX1A=";
    assert.deepEqual(await paramsFor(`group:${groupId}`), { groupId, message: "Hello." });
  });

  test("styles go beside the text", async () => {
    const { url, calls } = await startPlatform(taken);
    const text = JSON.stringify({ text: "bold", styles: ["0:4:BOLD"] });
    await on(url).send({ id: "1", to, text }, going());
    const { params } = bodyOf(calls) as { params: unknown };
    assert.deepEqual(params, { recipient: [to], message: "bold", textStyle: ["0:4:BOLD"] });
  });
});

test("recipients", () => {
  const { recipientFault } = on("http://127.0.0.1:1");
  for (const good of [to, address.uuid, "group:q7Ue+0t/Rx1mVb3mVw2q5g=="])
    assert.equal(recipientFault(good), null);
  for (const bad of ["", "ada", "group:", "group:not base64!", "5550001111", `${address.uuid}0`])
    assert.match(recipientFault(bad) ?? "", /must be a phone number/, bad);
});

describe("errors in a 200 response", () => {
  const cases: [number, string, RegExp][] = [
    [-1, "rejected", /signal-cli refused it: oops/],
    [-3, "unknown", /while sending: oops/],
    [-4, "rejected", /safety number.*signal-cli trust/],
    [-5, "retry", /rate limit/],
    [-6, "rejected", /captcha/],
    [-32_602, "rejected", /oops/],
    [-32_603, "unknown", /oops/],
    [-99, "unknown", /oops/],
  ];
  for (const [code, kind, words] of cases)
    test(`${code}: ${kind}`, async () => {
      const outcome = await sendWith(error(code, "oops"));
      assert.equal(outcome.kind, kind);
      assert.match(reasonOf(outcome), words);
      if (outcome.kind === "retry") assert.equal(outcome.afterMs, null);
    });

  test("a response to another request does not count", async () => {
    const outcome = await sendWith({
      json: { jsonrpc: "2.0", id: "other", result: results({ type: "SUCCESS" }) },
    });
    assert.equal(outcome.kind, "unknown");
  });
});

describe("results for each recipient", () => {
  const failing = (...list: object[]) =>
    sendWith(error(-1, "Failed to send message", { response: results(...list) }));

  test("one successful recipient is enough, and so is an empty group", async () => {
    const mixed = result(results({ type: "UNREGISTERED_FAILURE" }, { type: "SUCCESS" }));
    assert.deepEqual(await sendWith(mixed), { kind: "sent" });
    assert.deepEqual(await sendWith(result(results())), { kind: "sent" });
  });

  test("a group can be large", async () => {
    const everyone = Array.from({ length: 1000 }, () => ({ type: "SUCCESS" }));
    assert.deepEqual(await sendWith(result(results(...everyone))), { kind: "sent" });
  });

  test("the longest delay counts", async () => {
    const limited = await failing(
      { type: "RATE_LIMIT_FAILURE", retryAfterSeconds: 3 },
      { type: "UNREGISTERED_FAILURE" },
      { type: "RATE_LIMIT_FAILURE", retryAfterSeconds: 30 },
      { type: "RATE_LIMIT_FAILURE" },
    );
    assert.ok(limited.kind === "retry" && limited.afterMs === 30_000);
    const open = await failing({ type: "RATE_LIMIT_FAILURE" });
    assert.ok(open.kind === "retry" && open.afterMs === null);
  });

  test("a captcha needs a person, and its token is not shown", async () => {
    const challenge = { type: "RATE_LIMIT_FAILURE", token: "challenge-token", retryAfterSeconds: 60 };
    const outcome = await failing(challenge);
    assert.equal(outcome.kind, "rejected");
    assert.match(reasonOf(outcome), /submitRateLimitChallenge/);
    assert.ok(!reasonOf(outcome).includes("challenge-token"));
  });

  test("a missing network is tried again", async () => {
    const outcome = await failing({ type: "NETWORK_FAILURE" });
    assert.ok(outcome.kind === "retry" && outcome.afterMs === null);
  });

  const refusals: [string, RegExp][] = [
    ["UNREGISTERED_FAILURE", /not on Signal/],
    ["IDENTITY_FAILURE", /safety number/],
    ["INVALID_PRE_KEY_FAILURE", /keys/],
    ["SOMETHING_NEW", /could not send/],
  ];
  for (const [type, words] of refusals)
    test(type, async () => {
      const outcome = await failing({ type });
      assert.equal(outcome.kind, "rejected");
      assert.match(reasonOf(outcome), words);
    });
});

test("refusals of the daemon's HTTP", async () => {
  const refusals: [PlatformReply, RegExp][] = [
    [{ status: 421, text: "Misdirected Request" }, /address it listens on/],
    [{ status: 404, text: "NOT FOUND" }, /--http/],
    [{ status: 415, text: "" }, /415/],
  ];
  for (const [reply, words] of refusals) {
    const outcome = await sendWith(reply);
    assert.equal(outcome.kind, "rejected");
    assert.match(reasonOf(outcome), words);
  }
});

test("a check asks for the version, and whether the account is there", async () => {
  const { url, calls } = await startPlatform(result({ version: "0.14.6" }));
  assert.deepEqual(await on(url, { account }).check(going()), { ok: true, detail: "signal-cli 0.14.6" });
  assert.deepEqual(calls[0]?.json, { jsonrpc: "2.0", id: "check", method: "version", params: { account } });
  const unknownAccount = await (
    await responding(error(-32_602, "Specified account does not exist"))
  ).check(going());
  assert.deepEqual(unknownAccount, {
    ok: false,
    reason: "signal-cli refused it: Specified account does not exist",
  });
});
