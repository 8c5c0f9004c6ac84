import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf, warningsOf } from "../../../test/fixtures/config.ts";
import { file, good, mappingsOf, faults, warnings } from "../../../test/fixtures/mapping-config.ts";

test("an id is used once", () => {
  assert.deepEqual(
    faults(
      good({ id: "a", match: { path: "a" } }),
      good({ id: "b", match: { path: "b" } }),
      good({ id: "a", match: { path: "c" } }),
    ),
    ["hooks.mappings[2].id: is the id of hooks.mappings[0] already: choose another"],
  );
  assert.deepEqual(faults(good({ id: "mapping-2", match: { path: "a" } }), good({ match: { path: "b" } })), [
    "hooks.mappings[1].id: is the id of hooks.mappings[0] already: choose another",
  ]);
});

const hidden = (at: number, by: string) =>
  `hooks.mappings[${at}]: can never be reached: the mapping ${by} before it takes all of its requests. Put it before that one, or let that one match less`;

test("a mapping after one that takes all of its requests can never be reached", () => {
  const cases: [first: object, second: object][] = [
    [{ path: "a" }, { path: "a" }],
    [{ path: "a" }, { path: "/a/" }],
    [{ path: "a" }, { path: "a", source: "s" }],
    [{ path: "a" }, { path: "a", payload: { x: 1 } }],
    [{ source: "s" }, { path: "a", source: "s" }],
    [
      { path: "a", source: "s" },
      { path: "a", source: "s" },
    ],
    [{}, { path: "a" }],
    [{}, { source: "s", headers: { x: "1" } }],
    [{}, {}],
  ];
  for (const [first, second] of cases)
    assert.deepEqual(
      faults(good({ id: "first", match: first }), good({ match: second })),
      [hidden(1, "first")],
      JSON.stringify([first, second]),
    );
});

test("a mapping that can still get a request is fine", () => {
  const cases: [first: object, second: object][] = [
    [{ path: "a" }, { path: "b" }],
    [{ path: "a" }, { path: "A" }],
    [{ path: "a", source: "s" }, { path: "a" }],
    [
      { path: "a", source: "s" },
      { path: "a", source: "t" },
    ],
    [{ path: "a", payload: { x: 1 } }, { path: "a" }],
    [
      { path: "a", headers: { x: "1" } },
      { path: "a", headers: { x: "1" } },
    ],
    [{ source: "s" }, { path: "a" }],
    [{ path: "a" }, {}],
  ];
  for (const [first, second] of cases)
    assert.deepEqual(
      faults(good({ match: first }), good({ match: second })),
      [],
      JSON.stringify([first, second]),
    );
});

test("every hidden mapping is reported, with the first that hides it and its own index", () => {
  assert.deepEqual(
    faults(
      { ...good({ match: { path: "x" } }), deliver: "yes" },
      good({ id: "all", match: { path: "a" } }),
      good({ match: { path: "a", source: "s" } }),
      good({ match: { path: "a", payload: { x: 1 } } }),
    ),
    ["hooks.mappings[0].deliver: must be true or false, not text", hidden(2, "all"), hidden(3, "all")],
  );
});

test("a preset hidden by a mapping is a warning, since replacing it is a good reason", () => {
  const hides = (match: object) => {
    const settings = file([good({ id: "mine", match })], { presets: ["gmail"] });
    assert.deepEqual(problemsOf(settings), []);
    return warningsOf(settings);
  };
  const hidden = [
    "hooks.presets[0]: can never be reached: the mapping mine before it takes all of its requests",
  ];
  assert.deepEqual(hides({ path: "gmail" }), hidden);
  assert.deepEqual(hides({}), hidden);
  assert.deepEqual(hides({ path: "gmail", source: "test" }), []);
  assert.deepEqual(hides({ path: "gmail", payload: { x: 1 } }), []);
  assert.deepEqual(hides({ path: "mail" }), []);
  assert.deepEqual(
    mappingsOf([good({ id: "gmail", match: { path: "x" } })], { presets: ["gmail"] }).length,
    2,
  );
});

test("a mapping without text and transform, which would refuse every request, is a warning", () => {
  const missing = (name: string) =>
    `hooks.mappings[0]: has no ${name} and no transform: every request is refused, because its text is empty`;
  assert.deepEqual(warnings({}), [missing("messageTemplate")]);
  assert.deepEqual(warnings({ action: "wake" }), [missing("textTemplate")]);
  assert.deepEqual(warnings({ transform: { module: "x.ts" } }), []);
});

test("a template for the other action has no effect", () => {
  assert.deepEqual(warnings(good({ textTemplate: "t" })), [
    "hooks.mappings[0].textTemplate: has no effect: the action is agent",
  ]);
  assert.deepEqual(warnings({ action: "wake", textTemplate: "t", messageTemplate: "m" }), [
    "hooks.mappings[0].messageTemplate: has no effect: the action is wake",
  ]);
  assert.deepEqual(warnings(good({ textTemplate: "t", transform: { module: "x.ts" } })), []);
});

test("lifting the safety boundary is a warning, and has no effect on a wake", () => {
  assert.deepEqual(warnings(good({ allowUnsafeExternalContent: true })), [
    "hooks.mappings[0].allowUnsafeExternalContent: lifts the safety boundary: text from outside reaches the agent as if you had written it",
  ]);
  assert.deepEqual(warnings({ action: "wake", textTemplate: "t", allowUnsafeExternalContent: true }), [
    "hooks.mappings[0].allowUnsafeExternalContent: has no effect on a wake: its text stays inside the safety boundary",
  ]);
});

test("a session key that the prefixes would refuse is a warning", () => {
  const isRefused = (sessionKey: string, allowedSessionKeyPrefixes = ["hook:", "team:a:"]) =>
    warningsOf(file([good({ sessionKey })], { allowedSessionKeyPrefixes })).length === 1;
  for (const key of [
    "other",
    "other:{{ x }}",
    "hooks{{ x }}",
    "team:b:{{ x }}",
    "x{% if y %}hook:{% endif %}",
  ])
    assert.ok(isRefused(key), key);
  for (const key of ["hook:x", "hook:{{ x }}", "{{ x }}", "team:{{ x }}", "ho{% if y %}ok:{% endif %}"])
    assert.ok(!isRefused(key), key);
  assert.ok(!isRefused("anything", []));
  assert.deepEqual(warningsOf(file([good({ sessionKey: "x" })], { allowedSessionKeyPrefixes: ["hook:"] })), [
    "hooks.mappings[0].sessionKey: starts with none of hooks.allowedSessionKeyPrefixes: every request is refused",
  ]);
});

test("an agent that the allow-list would refuse is a warning", () => {
  const warningsFor = (agentId: string, allowedAgentIds?: string[]) =>
    warningsOf({
      ...file([good({ agentId })], { ...(allowedAgentIds && { allowedAgentIds }) }),
      agents: { list: [{ id: "ops" }] },
    });
  const refused = ["hooks.mappings[0].agentId: is not in hooks.allowedAgentIds: every request is refused"];
  assert.deepEqual(warningsFor("ops", ["main"]), refused);
  assert.deepEqual(warningsFor("ops", []), refused);
  assert.deepEqual(warningsFor(" OPS ", ["ops"]), []);
  assert.deepEqual(warningsFor("ops", ["main", "*"]), []);
  assert.deepEqual(warningsFor("ops"), []);
});

test("an idempotency key that names nothing of the request is a warning", () => {
  const warningsOf = (idempotencyKey: string) => warnings(good({ match: { path: "a" }, idempotencyKey }));
  assert.deepEqual(warningsOf("{{ id }}"), []);
  assert.deepEqual(warningsOf("id"), [
    "hooks.mappings[0].idempotencyKey: is the same for every request: only the first one of a day would count",
  ]);
});
