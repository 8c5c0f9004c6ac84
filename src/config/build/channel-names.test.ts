import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, problemsOf } from "../../../test/fixtures/config.ts";

const settings = (channel: string) => ({
  hooks: { mappings: [{ messageTemplate: "m", channel, fallback: { channel, to: "1" } }] },
  agents: { list: [{ id: "main", fallback: { channel } }], defaults: { fallback: { channel } } },
});

test("a name that no platform has is a problem in every setting", () => {
  const paths = [
    "hooks.mappings[0].channel",
    "hooks.mappings[0].fallback.channel",
    "agents.list[0].fallback.channel",
    "agents.defaults.fallback.channel",
  ];
  const hint = "there is no such channel; did you mean signal?";
  assert.deepEqual(
    problemsOf(settings("singal")),
    paths.map((path) => `${path}: ${hint}`),
  );
  for (const good of ["last", "Slack", " msteams "]) assert.deepEqual(problemsOf(settings(good)), []);
});

test("with plugins, whose names are not known yet, names are checked when these are loaded", () => {
  const { named } = configOf({ ...settings("Pager"), channels: { plugins: ["./pager.ts"] } }).channels;
  assert.deepEqual(
    named.map(({ channel }) => channel),
    ["pager", "pager", "pager", "pager"],
  );
});

test("an agent's fallback is its own, or that of the defaults", () => {
  const { list } = configOf({
    agents: {
      list: [{ id: "a", fallback: { channel: "slack", to: "C1" } }, { id: "b" }],
      defaults: { fallback: { channel: "signal" } },
    },
  }).agents;
  assert.deepEqual(
    list.map(({ fallback }) => fallback),
    [
      { channel: "slack", to: "C1" },
      { channel: "signal", to: null },
    ],
  );
  assert.equal(configOf({}).agents.list[0]?.fallback, null);
});
