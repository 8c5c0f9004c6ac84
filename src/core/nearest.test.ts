import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf } from "../../test/fixtures/config.ts";
import { editDistance, nearest } from "./nearest.ts";

test("counts letters added, dropped, changed and swapped", () => {
  assert.equal(editDistance("token", "token"), 0);
  assert.equal(editDistance("tokn", "token"), 1);
  assert.equal(editDistance("tokenn", "token"), 1);
  assert.equal(editDistance("tokne", "token"), 1);
  assert.equal(editDistance("", "abc"), 3);
  assert.equal(editDistance("kitten", "sitting"), 3);
});

test("suggests only what is near", () => {
  assert.equal(nearest("enabeld", ["enabled", "token"]), "enabled");
  assert.equal(nearest("MAXBODYBYTES", ["maxBodyBytes"]), "maxBodyBytes");
  assert.equal(nearest("colour", ["enabled", "token", "path"]), null);
  assert.equal(nearest("x".repeat(10_000), ["token"]), null);
});

test("suggests the only word that begins alike, from four letters on", () => {
  assert.equal(nearest("warning", ["debug", "info", "warn"]), "warn");
  assert.equal(nearest("message", ["messageTemplate", "textTemplate"]), "messageTemplate");
  assert.equal(nearest("text", ["textTemplate", "textOther"]), null);
  assert.equal(nearest("tex", ["textTemplate"]), null);
});

test("an unknown setting is named with the nearest known one of its object", () => {
  assert.deepEqual(
    problemsOf({ hooks: { authFailures: { maxx: 1 }, colour: "red" }, store: { token: "x" } }),
    [
      "hooks.authFailures.maxx: unknown setting `maxx`; did you mean `max`?",
      "hooks.colour: unknown setting `colour`",
      "store.token: unknown setting `token`",
    ],
  );
  assert.deepEqual(problemsOf({ agents: { list: [{ id: "a", comand: "x" }] } }), [
    "agents.list[0].comand: unknown setting `comand`; did you mean `command`?",
  ]);
  assert.deepEqual(problemsOf({ hooks: { token: { fil: "x", file: "y" } } }), [
    "hooks.token.fil: unknown setting `fil`; did you mean `file`?",
  ]);
  assert.deepEqual(problemsOf({ channels: { telegrm: {}, telegram: {} } }), [
    "channels.telegrm: unknown setting `telegrm`; did you mean `telegram`?",
    "channels.telegram.token: is missing",
  ]);
});
