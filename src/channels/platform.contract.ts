// The suite for channels that call a platform over HTTP: faults of the connection, and responses that are not
// the platform's.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Channel, SendOutcome } from "../sdk/channel.ts";
import {
  deadAddress,
  going,
  type PlatformReply,
  startPlatform,
} from "../../test/fixtures/recording-platform.ts";

export type PlatformHarness = {
  to: string;
  token: string;
  create: (apiBase: string, token?: string) => Channel;
  /** The path of a check, where it is not that of a message. */
  createForCheck?: (apiBase: string) => Channel;
};

const faults: [string, PlatformReply, SendOutcome["kind"]][] = [
  ["500 after the message was read", { status: 500, text: "<h1>Oops</h1>" }, "unknown"],
  ["503 before the message was read", { status: 503, text: "busy", early: true }, "unknown"],
  ["500 of a proxy", { status: 500, headers: { "retry-after": "3" }, text: "Oops" }, "unknown"],
  ["408", { status: 408, text: "" }, "unknown"],
  ["a connection that is reset", "reset", "unknown"],
  ["a response that breaks off", "cut", "unknown"],
  ["a response that is longer than is read", { text: `{"ok":true,"id":"${"x".repeat(70_000)}"}` }, "unknown"],
  ["200 without a word", { text: "" }, "unknown"],
  ["200 with a page", { text: "<html>please log in</html>" }, "unknown"],
  ["200 with JSON of another kind", { json: ["ok"] }, "unknown"],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.example/" } }, "rejected"],
  ["a plain refusal", { status: 403, text: "forbidden by the proxy" }, "rejected"],
  ["429 without a delay", { status: 429, text: "slow down" }, "retry"],
];

export function platformContract(
  name: string,
  { to, token, create, createForCheck = create }: PlatformHarness,
): void {
  const send = (channel: Channel, signal = going()) => {
    const [text = ""] = channel.render("hello");
    return channel.send({ id: "0198c0de-0000-7000-8000-000000000001-0", to, text }, signal);
  };
  const sendTo = async (reply: PlatformReply) => {
    const { url } = await startPlatform(reply);
    return send(create(url));
  };

  describe(`platform contract: ${name}`, () => {
    for (const [what, reply, kind] of faults) {
      test(`${what}: ${kind}`, async () => {
        const outcome = await sendTo(reply);
        assert.equal(outcome.kind, kind);
        assert.ok(!JSON.stringify(outcome).includes(token));
        if (outcome.kind === "retry") assert.equal(outcome.afterMs, null);
      });
    }

    test("a delay in the header counts, as seconds and as a date", async () => {
      const seconds = await sendTo({ status: 429, headers: { "retry-after": "7" }, text: "slow down" });
      assert.deepEqual(seconds.kind === "retry" && seconds.afterMs, 7000);
      const at = new Date(Date.now() + 600_000).toUTCString();
      const date = await sendTo({ status: 429, headers: { "retry-after": at }, text: "slow down" });
      assert.ok(date.kind === "retry" && date.afterMs !== null);
      assert.ok(date.afterMs > 5000 && date.afterMs <= 600_000, String(date.afterMs));
    });

    test("a delay that is none is no fault, and no longer wait than none", async () => {
      const past = new Date(Date.now() - 600_000).toUTCString();
      for (const written of ["0", "-1", "NaN", "", "soon", "0.3335", past]) {
        const outcome = await sendTo({ status: 429, headers: { "retry-after": written }, text: "slow down" });
        assert.ok(outcome.kind === "retry", written);
        assert.ok([null, 0, 334].includes(outcome.afterMs), `${written}: ${outcome.afterMs}`);
      }
      const far = await sendTo({ status: 429, headers: { "retry-after": "999999999" }, text: "slow down" });
      assert.equal(far.kind, "rejected");
    });

    test("a delay of more than 15 minutes is a rejection that says so", async () => {
      const outcome = await sendTo({ status: 429, headers: { "retry-after": "7200" }, text: "" });
      assert.ok(outcome.kind === "rejected" && outcome.reason.includes("120 minutes"));
    });

    test("an unreachable platform did not get the message", async () => {
      const outcome = await send(create(await deadAddress()));
      assert.deepEqual(outcome, {
        kind: "retry",
        reason: "the platform cannot be reached: the connection was refused",
        afterMs: null,
      });
    });

    test("a message stopped before its start is not sent", async () => {
      const { url, calls } = await startPlatform({ json: {} });
      const outcome = await send(create(url), AbortSignal.abort());
      assert.equal(outcome.kind, "retry");
      assert.equal(calls.length, 0);
    });

    test("a response that repeats the token does not get it into the reason", async () => {
      const echo = `no such place: /bot${token}/x`;
      const json = {
        ok: false,
        error: echo,
        message: echo,
        description: echo,
        error_code: 400,
        code: 1,
        id: echo,
      };
      for (const reply of [
        { status: 400, json },
        { status: 404, text: echo },
      ]) {
        const outcome = await sendTo(reply);
        assert.ok(outcome.kind === "rejected" && !outcome.reason.includes(token));
      }
    });

    test("a token that no header can hold is an outcome, and not shown", async () => {
      const outcome = await send(create(await deadAddress(), `${token}\nbad\u{1F642}`));
      assert.equal(outcome.kind, "retry");
      assert.ok(!JSON.stringify(outcome).includes(token));
    });

    test("a check that fails says why, without the token", async () => {
      const { url } = await startPlatform({ status: 401, text: token });
      const results = [
        await createForCheck(url).check(going()),
        await createForCheck(await deadAddress()).check(going()),
      ];
      for (const result of results)
        assert.ok(!result.ok && result.reason !== "" && !result.reason.includes(token));
    });
  });
}
