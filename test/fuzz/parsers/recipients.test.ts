// The recipient of every channel, and platforms' responses: any text and any JSON, and nothing throws.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readRpcResponse } from "../../../src/channels/json-rpc.ts";
import { openChannels } from "../../../src/channels/registry.ts";
import { retryAfterMs } from "../../../src/channels/request.ts";
import { configOf } from "../../fixtures/config.ts";
import { platforms } from "../../../src/core/target.ts";
import { cases } from "../../support/cases.ts";

const settings: Record<(typeof platforms)[number], object> = {
  whatsapp: { phoneNumberId: "1", token: "t" },
  telegram: { token: "t" },
  discord: { token: "t" },
  slack: { token: "t" },
  mattermost: { apiBase: "http://127.0.0.1:1", token: "t" },
  signal: {},
  imessage: { apiBase: "http://127.0.0.1:1", password: "p" },
  msteams: { appId: "a", appPassword: "p" },
};

const pieces = fc.constantFrom(
  "+1",
  "555",
  "@",
  "user:",
  "channel:",
  "#",
  "C0123456789",
  "-100",
  "(0)",
  " ",
  "19:",
  "\0",
  "chat_guid:",
  "é",
  "/",
  "..",
);
const recipient = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 6 }).map((each) => each.join("")),
  fc.constantFrom(
    "",
    "x".repeat(10_000),
    "(".repeat(10_000),
    "+".repeat(10_000),
    "1 ".repeat(5000),
    "https://[",
    "%",
  ),
);

test("any text is a recipient of a channel or has a fault, on every platform", async () => {
  const { channels: config } = configOf({ channels: settings });
  const opened = await openChannels(config, { fetch: () => Promise.reject(new Error("not here")) });
  assert.ok(opened.ok);
  for (const name of platforms) {
    const channel = opened.channels.find(name);
    assert.ok(channel, name);
    fc.assert(
      fc.property(recipient, (to) => {
        const fault = channel.recipientFault(to);
        assert.ok(fault === null || (typeof fault === "string" && fault !== ""), `${name}: ${to}`);
        if (to.trim() === "") assert.notEqual(fault, null, name);
      }),
      cases(500),
    );
  }
});

test("any JSON is a JSON-RPC response or none", () => {
  const response = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom("id", "method", "result", "error", "code", "__proto__"), fc.jsonValue()),
    fc.record({
      id: fc.constantFrom("1", null),
      error: fc.dictionary(fc.constantFrom("code", "message"), fc.jsonValue()),
    }),
  );
  fc.assert(
    fc.property(response, (json) => {
      const read = readRpcResponse(json, "1");
      if (read?.kind === "error") assert.equal(typeof read.message, "string");
    }),
    cases(1000),
  );
});

test("any Retry-After and Date are a time to wait or none", () => {
  const value = fc.oneof(
    fc.stringMatching(/^[ -~]*$/),
    fc.nat().map(String),
    fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
  );
  fc.assert(
    fc.property(value, value, (retryAfter, date) => {
      const found = retryAfterMs(new Headers({ "retry-after": retryAfter, date }), 0);
      assert.ok(found === null || (found >= 0 && Number.isFinite(found)));
    }),
    cases(500),
  );
});
