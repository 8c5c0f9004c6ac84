import assert from "node:assert/strict";
import { test } from "node:test";
import { callbackChannel, callbackOfChannel, shownCallback } from "./callback.ts";

test("a callback's channel names it, and is the name of no other channel", () => {
  assert.equal(callbackOfChannel(callbackChannel("ci")), "ci");
  assert.equal(callbackOfChannel("telegram"), null);
});

test("an address that anyone may use is not shown", () => {
  const slack = { name: "ask", to: "https://hooks.slack.com/commands/T/1/secret" };
  assert.deepEqual(shownCallback(slack), { name: "ask", to: null });
  const issue = { name: "issue", to: "octo/hello#12" };
  assert.deepEqual(shownCallback(issue), issue);
  assert.equal(shownCallback(null), null);
});
