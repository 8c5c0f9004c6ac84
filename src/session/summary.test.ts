import assert from "node:assert/strict";
import { test } from "node:test";
import { aRunRequest } from "../../test/builders/run.ts";
import { outsideMessage } from "../core/message.ts";
import { summaryOf, summaryText } from "./summary.ts";

const summary = (more: Partial<Parameters<typeof summaryText>[0]> = {}) =>
  summaryText({ name: "Email", status: "succeeded", text: "Done.", ...more });

test("the reply follows the name", () => assert.equal(summary(), "Hook Email: Done."));

for (const status of ["failed", "timed-out", "cancelled"] as const)
  test(`names the status ${status}`, () => {
    assert.equal(summary({ status, text: "why" }), `Hook Email (${status}): why`);
    assert.equal(summary({ status, text: "why", name: null }), `Hook (${status}): why`);
  });

test("without a name it starts with Hook", () => {
  assert.equal(summary({ name: null }), "Hook: Done.");
  assert.equal(summary({ name: " \n " }), "Hook: Done.");
});

test("a name is shortened to one line", () => {
  assert.equal(summary({ name: "a\nb\u0007\u2028c" }), "Hook a b c: Done.");
  assert.equal(summary({ name: "n".repeat(500), text: "" }).length, "Hook : ".length + 200);
});

test("text up to 2000 characters is whole, longer text is cut with an ellipsis", () => {
  assert.equal(summary({ text: "x".repeat(2000) }), `Hook Email: ${"x".repeat(2000)}`);
  assert.equal(summary({ text: "x".repeat(2001) }), `Hook Email: ${"x".repeat(1999)}…`);
});

test("a cut never splits a character", () => {
  const text = summary({ text: `x${"🙂".repeat(1500)}` });
  assert.ok(text.isWellFormed() && text.length <= "Hook Email: ".length + 2000);
});

test("a failed delivery is noted within the limit", () => {
  const undelivered = "no channel is configured";
  assert.equal(
    summary({ undelivered }),
    "Hook Email: Done.\n(The reply was not delivered: no channel is configured.)",
  );
  const long = summary({ text: "x".repeat(5000), undelivered });
  assert.equal(long.length, "Hook Email: ".length + 2000);
  assert.ok(long.endsWith("…\n(The reply was not delivered: no channel is configured.)"));
});

test("a summary is a system event of the main session and entirely outside text", () => {
  const request = aRunRequest({ name: "Email" });
  assert.deepEqual(summaryOf({ hook: "agent", request }, "id", { status: "succeeded", text: "Done." }), {
    id: "id",
    sessionKey: "main",
    source: "summary",
    hook: "agent",
    text: outsideMessage("summary", "reply", "Hook Email: Done."),
  });
});
