import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, problemsOf } from "../../../test/fixtures/config.ts";

const problems = (imessage: object) => problemsOf({ channels: { imessage } });
const apiBase = "http://mac.local:1234";
const command = ["ssh", "mac", "imsg", "rpc"];

test("iMessage goes through BlueBubbles or through a program", () => {
  assert.deepEqual(problems({ apiBase, password: "secret" }), []);
  assert.deepEqual(problems({ apiBase, password: "secret", method: "private-api", to: "+15550001111" }), []);
  assert.deepEqual(problems({ command }), []);
});

test("one of them is required, with all its settings", () => {
  assert.deepEqual(problems({ to: "+15550001111" }), [
    "channels.imessage.apiBase: is missing: the address of a BlueBubbles server, or set command",
  ]);
  for (const password of [undefined, "", " "])
    assert.deepEqual(problems({ apiBase, password }), [
      "channels.imessage.password: is missing: BlueBubbles wants its password",
    ]);
  assert.deepEqual(problems({ command: [" ", "rpc"] }), [
    "channels.imessage.command: must begin with the program",
  ]);
});

test("both at once are refused", () => {
  const message = "is for BlueBubbles: leave it out, or leave out command";
  assert.deepEqual(problems({ apiBase, password: "secret", method: "apple-script", command }), [
    `channels.imessage.apiBase: ${message}`,
    `channels.imessage.password: ${message}`,
    `channels.imessage.method: ${message}`,
  ]);
});

test("a program with a slash is relative to the config, one without is found in PATH", () => {
  const built = (program: string) =>
    configOf({ channels: { imessage: { command: [program, "rpc"], to: "ada@example.org" } } }).channels.list;
  const listed = (program: string) => [
    { id: "imessage", to: "ada@example.org", settings: { command: [program, "rpc"] } },
  ];
  assert.deepEqual(built("./bin/imsg"), listed("/home/rouse/bin/imsg"));
  assert.deepEqual(built("imsg"), listed("imsg"));
});
