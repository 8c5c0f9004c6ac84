// Contract, sections 4 and 6: the action of a mapping, key by key; its templates; and the policy for mappings.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestGateway } from "../support/gateway.ts";
import { codeOf, lastRecord, mapping, messageOf, runOf } from "../support/mapped.ts";

describe("the action of a mapping", { concurrency: 2 }, () => {
  test("the keys of an agent run", async (t) => {
    const gateway = await startTestGateway(t, {
      agents: { list: [{ id: "main" }, { id: "reviewer" }] },
      hooks: {
        mappings: [
          mapping("all", {
            wakeMode: "next-heartbeat",
            name: "Build {{ id }}",
            agentId: " Reviewer ",
            sessionKey: "ci:{{ branch }}",
            deliver: true,
            channel: "telegram",
            to: "{{ chat }}",
            model: "{{ model }}",
            thinking: "{{ thinking }}",
            timeoutSeconds: 12.5,
          }),
          mapping("unknown-agent", { agentId: "nobody" }),
          mapping("main-key", { sessionKey: "{{ key }}" }),
        ],
      },
    });
    const payload = { id: 7, branch: "main", chat: "12345", model: "p/m", thinking: "high" };

    await t.test("each reaches the run", async () => {
      const run = await runOf(gateway, await gateway.post("all", payload));
      assert.deepEqual([run.agentId, run.requestedAgentId], ["reviewer", "Reviewer"]);
      assert.equal(run.sessionKey, "ci:main");
      const { name, wakeMode, deliver, channel, to } = run.request;
      assert.deepEqual(
        [name, wakeMode, deliver, channel, to],
        ["Build 7", "next-heartbeat", true, "telegram", "12345"],
      );
      const { model, thinking, timeoutSeconds } = run.request;
      assert.deepEqual([model, thinking, timeoutSeconds], ["p/m", "high", 12.5]);
    });

    await t.test("a mapping's session key continues a conversation", async () => {
      const run = await runOf(gateway, await gateway.post("all", { ...payload, branch: "x" }));
      assert.deepEqual([run.sessionKey, run.isolated], ["ci:x", false]);
    });

    await t.test("a key whose template renders blank is not set", async () => {
      const run = await runOf(gateway, await gateway.post("all", { branch: "main" }));
      const { name, to, model, thinking } = run.request;
      assert.deepEqual([name, to, model, thinking], ["Build", null, null, null]);
    });

    await t.test("an unknown agent is the default agent; the run records both", async () => {
      const run = await runOf(gateway, await gateway.post("unknown-agent", {}));
      assert.deepEqual([run.agentId, run.requestedAgentId], ["main", "nobody"]);
    });

    await t.test("a session key that renders blank is 400, not the default", async () => {
      const response = await gateway.post("main-key", { key: "  " });
      assert.deepEqual(codeOf(response), [400, "invalid-payload"]);
      assert.deepEqual(response.json["details"], [{ path: "sessionKey", message: "came out blank" }]);
    });

    await t.test("a key of a bad form, and the main session's, are 400", async () => {
      for (const key of ["two words", "x".repeat(201), "line\nbreak"])
        assert.deepEqual(codeOf(await gateway.post("main-key", { key })), [400, "invalid-payload"], key);
      assert.deepEqual(codeOf(await gateway.post("main-key", { key: "main" })), [
        400,
        "session-key-not-allowed",
      ]);
    });

    await t.test("values are checked like a request's", async () => {
      const wrong = { thinking: "two words", name: "n", model: "m".repeat(201), chat: "c".repeat(501) };
      const { status, json } = await gateway.post("all", { ...payload, ...wrong });
      const paths = (json["details"] as { path: string }[]).map(({ path }) => path);
      assert.deepEqual([status, paths.toSorted()], [400, ["model", "thinking", "to"]]);
    });

    await t.test("a refusal stores nothing, and quotes nothing", async () => {
      const before = (await gateway.runs()).length;
      const response = await gateway.post("main-key", { key: "secret with spaces" });
      assert.equal(response.status, 400);
      assert.doesNotMatch(response.text, /secret/);
      assert.equal((await gateway.runs()).length, before);
    });
  });

  test("without a key of its own, a run gets hooks.defaultSessionKey", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { defaultSessionKey: "hook:default", mappings: [mapping("m")] },
    });
    const run = await runOf(gateway, await gateway.post("m", { sessionKey: "hook:of-the-payload" }));
    assert.deepEqual([run.sessionKey, run.isolated], ["hook:default", true]);
  });

  test("the policy holds for mappings as for requests", async (t) => {
    const gateway = await startTestGateway(t, {
      agents: { list: [{ id: "main" }, { id: "other" }], defaults: { models: { "p/m": { alias: "fast" } } } },
      hooks: {
        allowedAgentIds: ["main"],
        allowedSessionKeyPrefixes: ["hook:"],
        mappings: [
          mapping("key", { sessionKey: "{{ key }}" }),
          mapping("agent-other", { agentId: "other" }),
          mapping("agent-unknown", { agentId: "nobody" }),
          mapping("agent-main", { agentId: "MAIN" }),
          mapping("model", { model: "{{ model }}" }),
          mapping("wake", { match: { path: "note" }, action: "wake", textTemplate: "t" }),
        ],
      },
    });
    const code = async (name: string, payload: object) => codeOf(await gateway.post(name, payload));

    await t.test("prefixes, compared exactly", async () => {
      assert.equal((await gateway.post("key", { key: "hook:a" })).status, 202);
      for (const key of ["a", "Hook:a", "xhook:a"])
        assert.deepEqual(await code("key", { key }), [400, "session-key-prefix"], key);
    });

    await t.test("hooks.allowRequestSessionKey is only about requests, not about mappings", async () => {
      assert.equal((await gateway.post("key", { key: "hook:b" })).status, 202);
      assert.deepEqual(await code("agent", { message: "m", sessionKey: "hook:b" }), [
        400,
        "session-key-not-allowed",
      ]);
    });

    await t.test("agents: the id as written counts", async () => {
      assert.deepEqual(await code("agent-other", {}), [400, "agent-not-allowed"]);
      assert.deepEqual(await code("agent-unknown", {}), [400, "agent-not-allowed"]);
      assert.equal((await gateway.post("agent-main", {})).status, 202);
    });

    await t.test("models: the list, by id or alias, checked for each request", async () => {
      for (const model of ["p/m", "fast"]) {
        const run = await runOf(gateway, await gateway.post("model", { model }));
        assert.equal(run.request.model, "p/m");
      }
      assert.deepEqual(await code("model", { model: "p/other" }), [400, "model-not-allowed"]);
      assert.equal((await gateway.post("model", {})).status, 202, "none is the agent's own");
    });

    await t.test("a wake needs no agent, key or model", async () => {
      assert.equal((await gateway.post("note", {})).status, 200);
    });
  });
});

const template = (path: string, messageTemplate: string) => mapping(path, { messageTemplate });

const templates = [
  template("fields", "<{{ messages[0].from }}|{{ messages[9].from }}|{{ a.b.c }}|{{ none }}>"),
  template("kinds", "<{{ text }}|{{ number }}|{{ yes }}|{{ nothing }}|{{ list }}|{{ object }}>"),
  template("words", "<{{ payload.path }}|{{ path }}|{{ query.q }}|{{ headers.x-custom }}|{{ now }}>"),
  template("same-name", "<{{ headers }}|{{ payload.headers }}>"),
  template("repeated", "<{{ headers.x-many }}|{{ query.q }}>"),
  template(
    "secrets",
    "<{{ headers.authorization }}|{{ headers.x-gateway-token }}|{{ headers.cookie }}|{{ headers }}>",
  ),
  template("filters", '<{{ title | upcase | truncate: 8 }}|{{ list | join: "+" }}|{{ object | json }}>'),
  template("if", "{% if level == 'high' %}Urgent{% elsif level %}Plain{% else %}None{% endif %}"),
  template("for", "{% for item in items %}{{ forloop.index }}={{ item.name }};{% endfor %}"),
  template(
    "own",
    "<{{ constructor }}|{{ __proto__ }}|{{ object.constructor.name }}|{{ list.size }}|{{ toString }}>",
  ),
  template("twice", "{{ text }}"),
  template("trim", "\n  {{ text }}  \n"),
  template("heavy", "{% for a in (1..1000000) %}{% for b in (1..1000000) %}x{% endfor %}{% endfor %}"),
];

test("templates", async (t) => {
  const gateway = await startTestGateway(t, { hooks: { mappings: templates } });
  const rendered = async (name: string, payload: unknown, headers: string[] = []) =>
    messageOf(gateway, await gateway.post(name, payload, headers));

  await t.test("fields by path; what is missing is empty", async () => {
    assert.equal(await rendered("fields", { messages: [{ from: "Ada" }], a: { b: 1 } }), "<Ada|||>");
  });

  await t.test("text and numbers as they are, objects and lists as compact JSON", async () => {
    const payload = { text: "t", number: 1.5, yes: true, nothing: null, list: [1, "a"], object: { a: [{}] } };
    assert.equal(await rendered("kinds", payload), '<t|1.5|true||[1,"a"]|{"a":[{}]}>');
  });

  await t.test("payload, headers, query, path and now win over fields of the same name", async () => {
    const payload = { path: "mine", query: { q: "mine" }, headers: { "x-custom": "mine" }, now: "mine" };
    const shown = await rendered("words?q=asked", payload, ["X-Custom: sent"]);
    const [own, path, query, header, now] = shown.slice(1, -1).split("|");
    assert.deepEqual([own, path, query, header], ["mine", "words", "asked", "sent"]);
    assert.ok(Math.abs(Date.parse(now ?? "") - Date.now()) < 60_000, now);
    assert.match(await rendered("same-name", { headers: "mine" }), /^<\{.*\}\|mine>$/);
  });

  await t.test("repeated headers are joined, of a repeated query parameter the last counts", async () => {
    assert.equal(await rendered("repeated?q=1&q=2", {}, ["X-Many: a", "x-many: b"]), "<a, b|2>");
  });

  await t.test("headers that carry secrets are not there", async () => {
    const headers = [
      "x-gateway-token: secret-token",
      "Cookie: secret-cookie",
      "Proxy-Authorization: secret-p",
    ];
    const shown = await rendered("secrets", {}, headers);
    assert.match(shown, /^<\|\|\|\{.*"content-type".*\}>$/);
    assert.doesNotMatch(shown, /secret/);
    assert.ok(!shown.includes(gateway.token));
  });

  await t.test("filters, if and for", async () => {
    const payload = { title: "a long title", list: ["x", "y"], object: { a: 1 } };
    assert.equal(await rendered("filters", payload), '<A LON...|x+y|{"a":1}>');
    assert.equal(await rendered("if", { level: "high" }), "Urgent");
    assert.equal(await rendered("if", { level: "low" }), "Plain");
    assert.equal(await rendered("if", {}), "None");
    assert.equal(await rendered("for", { items: [{ name: "a" }, { name: "b" }] }), "1=a;2=b;");
  });

  await t.test("only own properties can be seen", async () => {
    assert.equal(await rendered("own", { object: {}, list: [1, 2] }), "<||||>".replace("||>", "|2|>"));
    const own = '{"constructor":"mine","__proto__":"too","object":{},"list":[]}';
    assert.equal(await rendered("own", own), "<mine|too||0|>");
  });

  await t.test("a payload's own text is never a template", async () => {
    const text = "{{ headers.x-custom }} {% if true %}x{% endif %}";
    assert.equal(await rendered("twice", { text }, ["X-Custom: c"]), text);
  });

  await t.test("white space around the operator's text goes, the payload's own stays", async () => {
    assert.equal(await rendered("trim", { text: " a " }), " a ");
  });

  await t.test(
    "one that costs too much is 500 with its cause in the record; the next request is served",
    async () => {
      const response = await gateway.post("heavy", {});
      assert.deepEqual(codeOf(response), [500, "mapping-failed"]);
      assert.doesNotMatch(response.text, /ms|memory|line/);
      const { outcome, reason } = await lastRecord(gateway);
      assert.equal(outcome, "failed");
      assert.match(reason, /^heavy: .*that the templates of a request may use together/);
      assert.equal(await rendered("if", {}), "None");
    },
  );
});
