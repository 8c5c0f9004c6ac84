import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configOf, gatewayToken, hookToken, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";
import type { MappingSettings } from "../schema/mapping.ts";

type More = { presets?: string[]; [setting: string]: unknown };

const file = (mappings: unknown[], more: More = {}) => ({
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken, mappings, ...more },
});
/** A mapping that nothing is wrong with. */
const good = (more: MappingSettings & Record<string, unknown> = {}) => ({ messageTemplate: "m", ...more });
const mappingsOf = (mappings: unknown[], more: More = {}) => configOf(file(mappings, more)).hooks.mappings;
const faults = (...mappings: unknown[]) => problemsOf(file(mappings));
const warnings = (...mappings: unknown[]) => warningsOf(file(mappings));
const faultOfMatch = (match: unknown) => faults({ messageTemplate: "m", match });

describe("mappings as they are built", () => {
  test("what is left out gets its default", () => {
    assert.deepEqual(mappingsOf([{}]), [
      {
        id: "mapping-1",
        origin: 0,
        match: { path: null, source: null, headers: [], payload: [] },
        action: "agent",
        wakeMode: "now",
        deliver: true,
        agentId: null,
        channel: null,
        fallback: null,
        timeoutSeconds: null,
        templates: {
          messageTemplate: null,
          textTemplate: null,
          name: null,
          sessionKey: null,
          to: null,
          model: null,
          thinking: null,
        },
        forEach: null,
        transform: null,
        tools: null,
        allowUnsafeExternalContent: false,
      },
    ]);
  });

  test("what is written is kept", () => {
    const [mapping] = mappingsOf([
      {
        id: "push",
        match: {
          path: " /github/push/ ",
          source: "github",
          headers: { "X-GitHub-Event": "push", "x-other": ["a", "b"] },
          payload: { "commits[0].author.name": ["x", 1, true, null], draft: false },
        },
        action: "wake",
        wakeMode: "next-heartbeat",
        name: "N {{ x }}",
        agentId: "Ops",
        sessionKey: "hook:{{ id }}",
        messageTemplate: " m ",
        textTemplate: "t",
        deliver: false,
        channel: "slack",
        to: "{{ to }}",
        fallback: { channel: "Signal" },
        model: "a/b",
        thinking: "low",
        timeoutSeconds: 0.5,
        forEach: "payload.items[0].parts",
        transform: { module: "a.ts", export: "main" },
        tools: ["read"],
        allowUnsafeExternalContent: true,
      },
    ]);
    assert.deepEqual(mapping, {
      id: "push",
      origin: 0,
      match: {
        path: "github/push",
        source: "github",
        headers: [
          { name: "x-github-event", values: ["push"] },
          { name: "x-other", values: ["a", "b"] },
        ],
        payload: [
          {
            written: "commits[0].author.name",
            path: ["commits", 0, "author", "name"],
            values: ["x", 1, true, null],
          },
          { written: "draft", path: ["draft"], values: [false] },
        ],
      },
      action: "wake",
      wakeMode: "next-heartbeat",
      deliver: false,
      agentId: "Ops",
      channel: "slack",
      fallback: { channel: "signal", to: null },
      timeoutSeconds: 0.5,
      templates: {
        messageTemplate: "m",
        textTemplate: "t",
        name: "N {{ x }}",
        sessionKey: "hook:{{ id }}",
        to: "{{ to }}",
        model: "a/b",
        thinking: "low",
      },
      forEach: { written: "payload.items[0].parts", path: ["items", 0, "parts"] },
      transform: { module: "a.ts", export: "main" },
      tools: ["read"],
      allowUnsafeExternalContent: true,
    });
  });

  test("forEach: the first word payload is the whole payload", () => {
    const pathOf = (forEach: string) => mappingsOf([good({ forEach })])[0]?.forEach?.path;
    assert.deepEqual(pathOf("payload"), []);
    assert.deepEqual(pathOf("payload.payload"), ["payload"]);
    assert.deepEqual(pathOf("items.payload"), ["items", "payload"]);
  });

  test("presets come after the mappings, each once, complete like any mapping", () => {
    const all = mappingsOf([good({ match: { path: "a" } })], { presets: ["gmail", "gmail"] });
    assert.deepEqual(
      all.map(({ id, origin }) => [id, origin]),
      [
        ["mapping-1", 0],
        ["gmail", "gmail"],
      ],
    );
    const gmail = all[1]!;
    assert.deepEqual(
      [gmail.match.path, gmail.forEach?.path, gmail.templates.sessionKey, gmail.allowUnsafeExternalContent],
      ["gmail", ["messages"], "hook:gmail:{{ messages[0].id }}", false],
    );
    for (const field of ["from", "subject", "snippet", "body"])
      assert.ok(gmail.templates.messageTemplate?.includes(`{{ messages[0].${field} }}`), field);
    assert.deepEqual(warningsOf(file([], { presets: ["gmail"] })), []);
  });

  test("mappings are frozen with the rest of the configuration", () => {
    const [mapping] = mappingsOf([good({ match: { payload: { a: 1 } } })]);
    for (const part of [mapping, mapping?.match.payload[0]?.path, mapping?.templates])
      assert.ok(Object.isFrozen(part));
  });
});

describe("what a mapping may say", () => {
  test("built-in names win, so a mapping for one can never be reached", () => {
    for (const path of ["wake", "agent", "/wake/", " agent "])
      assert.deepEqual(faultOfMatch({ path }), [
        `hooks.mappings[0].match.path: can never be reached: "${path.trim().replaceAll("/", "")}" is built in, and built-in names win`,
      ]);
    for (const path of ["wake/up", "Wake", "agents"]) assert.deepEqual(faultOfMatch({ path }), [], path);
  });

  test("a name that no request can have can never be reached", () => {
    for (const path of [
      "a b",
      "a?b",
      "a#b",
      "ä",
      "a//b",
      "a/../b",
      "..",
      "./a",
      "a/%2e%2E",
      "a%2fb",
      "a%5Cb",
      'a"b',
    ])
      assert.deepEqual(
        faultOfMatch({ path }),
        ["hooks.mappings[0].match.path: can never be reached: no request path can have this name"],
        path,
      );
    for (const path of ["", "/", "  "])
      assert.deepEqual(faultOfMatch({ path }), ["hooks.mappings[0].match.path: must name a hook"]);
    for (const path of ["a/b", "a.b", "a..b", "%C3%A4", "a:b@c,d;e=f", "...", "~x"])
      assert.deepEqual(faultOfMatch({ path }), [], path);
  });

  test("a field path is names with dots and numbers in brackets", () => {
    const message = "must be a path such as messages[0].from: names with dots, numbers in brackets";
    for (const written of [".a", "a.", "a..b", "a[b]", "a[0", "a b", "a[-1]", "a[0]b"]) {
      assert.deepEqual(
        faults(good({ forEach: written })),
        [`hooks.mappings[0].forEach: ${message}`],
        written,
      );
      assert.deepEqual(
        faultOfMatch({ payload: { [written]: 1 } }),
        [`hooks.mappings[0].match.payload[${JSON.stringify(written)}]: ${message}`],
        written,
      );
    }
    for (const written of ["a", "a.b", "a[0][1].c", "[0].a", "a-b.ä"])
      assert.deepEqual(faultOfMatch({ payload: { [written]: 1 } }), [], written);
  });

  test("headers that carry secrets cannot be matched, in whatever case", () => {
    const message = "is a header that carries secrets and cannot be matched";
    for (const name of ["Authorization", "X-Gateway-Token", "cookie", "proxy-authorization"])
      assert.deepEqual(faultOfMatch({ headers: { [name]: "x" } }), [
        `hooks.mappings[0].match.headers${name === "cookie" ? ".cookie" : `.${name}`}: ${message}`,
      ]);
    assert.deepEqual(faultOfMatch({ headers: { "a b": "x" } }), [
      'hooks.mappings[0].match.headers["a b"]: must be the name of a header',
    ]);
  });

  test("one header or field is filtered once, however it is written", () => {
    const twice = "is there twice, written differently: give one of them a list of values";
    const headers = { "X-Event": "a", other: "b", "x-event": "c" };
    assert.deepEqual(faultOfMatch({ headers }), [`hooks.mappings[0].match.headers.x-event: ${twice}`]);
    assert.deepEqual(faultOfMatch({ payload: { "a[0]": 1, a: 2, "a[00]": 3 } }), [
      `hooks.mappings[0].match.payload["a[00]"]: ${twice}`,
    ]);
  });

  test("a filter has at least one plain value", () => {
    for (const match of [
      { headers: { a: [] } },
      { headers: { a: 1 } },
      { payload: { a: [] } },
      { payload: { a: {} } },
      { payload: { a: [[1]] } },
    ])
      assert.equal(faultOfMatch(match).length, 1, JSON.stringify(match));
  });

  test("unknown settings, actions and channels are problems", () => {
    assert.deepEqual(faults(good({ mesageTemplate: "x" })), [
      "hooks.mappings[0].mesageTemplate: unknown setting `mesageTemplate`; did you mean `messageTemplate`?",
    ]);
    const wrong = { action: "run", wakeMode: "later", channel: "pigeon", deliver: "yes", timeoutSeconds: 0 };
    for (const [setting, value] of Object.entries(wrong)) {
      const found = faults({ messageTemplate: "m", [setting]: value });
      assert.equal(found.length, 1, setting);
      assert.ok(found[0]?.startsWith(`hooks.mappings[0].${setting}: `), found[0]);
    }
    assert.deepEqual(problemsOf(file([], { presets: ["slack"] })).length, 1);
  });
});

describe("rules between mappings", () => {
  test("an id is taken once", () => {
    assert.deepEqual(
      faults(
        good({ id: "a", match: { path: "a" } }),
        good({ id: "b", match: { path: "b" } }),
        good({ id: "a", match: { path: "c" } }),
      ),
      ["hooks.mappings[2].id: is taken by another mapping"],
    );
    assert.deepEqual(
      faults(good({ id: "mapping-2", match: { path: "a" } }), good({ match: { path: "b" } })),
      ["hooks.mappings[1].id: is taken by another mapping"],
    );
  });

  const hidden = (at: number, by: string) =>
    `hooks.mappings[${at}]: can never be reached: ${by} before it takes every request it could`;

  test("a mapping behind one that takes all it could can never be reached", () => {
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

  test("a mapping that could get something left over is fine", () => {
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

  test("every hidden mapping is named, with the first that hides it, and places are unspoiled by others", () => {
    assert.deepEqual(
      faults(
        { ...good({ match: { path: "x" } }), deliver: "yes" },
        good({ id: "all", match: { path: "a" } }),
        good({ match: { path: "a", source: "s" } }),
        good({ match: { path: "a", payload: { x: 1 } } }),
      ),
      ["hooks.mappings[0].deliver: must be true or false", hidden(2, "all"), hidden(3, "all")],
    );
  });

  test("a preset hidden by a mapping is a warning, since replacing it is a good reason", () => {
    const hides = (match: object) => {
      const settings = file([good({ id: "mine", match })], { presets: ["gmail"] });
      assert.deepEqual(problemsOf(settings), []);
      return warningsOf(settings);
    };
    const told = ["hooks.presets[0]: can never be reached: mine before it takes every request it could"];
    assert.deepEqual(hides({ path: "gmail" }), told);
    assert.deepEqual(hides({}), told);
    assert.deepEqual(hides({ path: "gmail", source: "test" }), []);
    assert.deepEqual(hides({ path: "gmail", payload: { x: 1 } }), []);
    assert.deepEqual(hides({ path: "mail" }), []);
    assert.deepEqual(
      mappingsOf([good({ id: "gmail", match: { path: "x" } })], { presets: ["gmail"] }).length,
      2,
    );
  });
});

describe("warnings about a mapping", () => {
  test("without text and without a transform, every request would be refused", () => {
    const missing = (name: string) =>
      `hooks.mappings[0]: has no ${name} and no transform: every request is refused for want of text`;
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

  test("a session key that the prefixes will refuse", () => {
    const told = (sessionKey: string, allowedSessionKeyPrefixes = ["hook:", "team:a:"]) =>
      warningsOf(file([good({ sessionKey })], { allowedSessionKeyPrefixes })).length === 1;
    for (const key of [
      "other",
      "other:{{ x }}",
      "hooks{{ x }}",
      "team:b:{{ x }}",
      "x{% if y %}hook:{% endif %}",
    ])
      assert.ok(told(key), key);
    for (const key of ["hook:x", "hook:{{ x }}", "{{ x }}", "team:{{ x }}", "ho{% if y %}ok:{% endif %}"])
      assert.ok(!told(key), key);
    assert.ok(!told("anything", []));
    assert.deepEqual(
      warningsOf(file([good({ sessionKey: "x" })], { allowedSessionKeyPrefixes: ["hook:"] })),
      [
        "hooks.mappings[0].sessionKey: starts with none of hooks.allowedSessionKeyPrefixes: every request is refused",
      ],
    );
  });

  test("an agent that the allow-list will refuse", () => {
    const told = (agentId: string, allowedAgentIds?: string[]) =>
      warningsOf(file([good({ agentId })], { ...(allowedAgentIds && { allowedAgentIds }) }));
    const refused = ["hooks.mappings[0].agentId: is not in hooks.allowedAgentIds: every request is refused"];
    assert.deepEqual(told("ops", ["main"]), refused);
    assert.deepEqual(told("ops", []), refused);
    assert.deepEqual(told(" OPS ", ["ops"]), []);
    assert.deepEqual(told("ops", ["main", "*"]), []);
    assert.deepEqual(told("ops"), []);
  });
});
