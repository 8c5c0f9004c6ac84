// Contract, sections 2 and 6, and specification, section 4: which mapping takes a request, and what the caller is told.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, lastRecord, mapping, messageOf, runOf } from "../support/mapped.ts";

/** A request whose head has arrived and whose body never will. */
const headOf = (gateway: TestGateway, name: string): string =>
  [
    `POST /hooks/${name} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${gateway.token}`,
    "Content-Length: 20",
    "",
    "",
  ].join("\r\n");

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("which mapping takes a request", { concurrency: 2 }, () => {
  test("match.path", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        mappings: [
          mapping("github"),
          mapping("ci/main/build"),
          mapping("slashed", { match: { path: "/slashed/" } }),
          mapping("Upper"),
        ],
      },
    });
    const takenBy = async (name: string) => messageOf(gateway, await gateway.post(name, {}));

    await t.test("is exact, may have several segments, and loses slashes at its ends", async () => {
      assert.equal(await takenBy("github"), "taken by github");
      assert.equal(await takenBy("ci/main/build"), "taken by ci/main/build");
      assert.equal(await takenBy("slashed"), "taken by slashed");
    });

    await t.test("a trailing slash and a query are no part of the name", async () => {
      for (const target of ["github/", "github?x=1", "github/?x=1", "ci/main/build/"])
        assert.equal((await gateway.post(target, {})).status, 202, target);
    });

    await t.test("another name is 404, before one byte of the body is read", async () => {
      for (const name of ["gitlab", "github/push", "ci/main", "upper", "GITHUB", "git%68ub", ""]) {
        const answer = await gateway.raw(headOf(gateway, name)).next();
        assert.deepEqual(codeOf(answer), [404, "unknown-hook"], name);
      }
    });

    await t.test("paths that can be read in two ways are 404", async () => {
      for (const name of ["ci//main/build", "ci/./main/build", "x/../github", "ci%2Fmain%2Fbuild"])
        assert.equal((await gateway.post(name, {})).status, 404, name);
    });

    await t.test("the token comes first: without it a mapped name is 401 like any other", async () => {
      for (const name of ["github", "gitlab"])
        assert.equal((await gateway.send({ target: `/hooks/${name}`, body: "{}" })).status, 401);
    });

    await t.test("only POST", async () => {
      const answer = await gateway.send({ method: "GET", target: "/hooks/github" });
      assert.deepEqual([answer.status, answer.headers["allow"]], [405, "POST"]);
    });
  });

  test("match.source", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        mappings: [
          mapping("billing", { match: { path: "ingest", source: "billing" } }),
          mapping("orders", { match: { path: "ingest", source: "orders" } }),
          mapping("anywhere", { match: { source: "anywhere" } }),
          mapping("by-name", { match: { path: "plain" } }),
        ],
      },
    });
    const takenBy = async (name: string, payload: unknown) =>
      messageOf(gateway, await gateway.post(name, payload));

    await t.test("one endpoint routes by the payload's source", async () => {
      assert.equal(await takenBy("ingest", { source: "billing" }), "taken by billing");
      assert.equal(await takenBy("ingest", { source: "orders" }), "taken by orders");
    });

    await t.test("alone, it takes any name that is not built in", async () => {
      assert.equal(await takenBy("ingest", { source: "anywhere" }), "taken by anywhere");
      assert.equal(await takenBy("some/other", { source: "anywhere" }), "taken by anywhere");
    });

    await t.test("the first that fits wins, path or source", async () => {
      assert.equal(await takenBy("plain", { source: "anywhere" }), "taken by anywhere");
      assert.equal(await takenBy("plain", { source: "billing" }), "taken by by-name");
    });

    await t.test(
      "both must fit: another source, none, or one that is no text is 404 after the body",
      async () => {
        for (const payload of [{ source: "Billing" }, { source: 1 }, {}, [], "billing", null])
          assert.deepEqual(codeOf(await gateway.post("ingest", JSON.stringify(payload))), [
            404,
            "unknown-hook",
          ]);
        assert.deepEqual(codeOf(await gateway.post("elsewhere", { source: "billing" })), [
          404,
          "unknown-hook",
        ]);
        assert.deepEqual(codeOf(await gateway.post("elsewhere", "{broken")), [400, "invalid-json"]);
      },
    );

    await t.test("a source that is only inherited is none", async () => {
      const payload = '{"__proto__":{"source":"billing"}}';
      assert.equal((await gateway.post("ingest", payload)).status, 404);
    });

    await t.test("nothing is stored for a 404, not even a record", async () => {
      assert.deepEqual(await gateway.inspect.listRequests({ limit: null }), []);
    });
  });

  test("order, the catch-all, presets and built-in names", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        presets: ["gmail"],
        mappings: [
          mapping("own", { match: { path: "gmail", source: "own" } }),
          mapping("rest", { match: { headers: { "x-rest": "yes" } } }),
          mapping("late", { match: { path: "late" } }),
        ],
      },
    });
    const mail = { source: "gmail", messages: [{ id: "m1" }] };

    await t.test("mappings come before presets, and presets take what is left", async () => {
      const own = await gateway.post("gmail", { ...mail, source: "own" });
      assert.equal(await messageOf(gateway, own), "taken by own");
      const preset = await gateway.post("gmail", mail);
      assert.deepEqual([preset.status, (preset.json["runIds"] as unknown[]).length], [202, 1]);
    });

    await t.test("the first in the list wins over a narrower one behind it", async () => {
      const early = await gateway.post("late", {}, ["X-Rest: yes"]);
      assert.equal(await messageOf(gateway, early), "taken by rest");
      assert.equal(await messageOf(gateway, await gateway.post("late", {})), "taken by late");
    });

    await t.test("built-in names win over a catch-all", async () => {
      const headers = ["X-Rest: yes"];
      const wake = await gateway.post("wake", { text: "t", mode: "next-heartbeat" }, headers);
      assert.deepEqual([wake.status, typeof wake.json["eventId"]], [200, "string"]);
      const agent = await gateway.post("agent", { message: "m", deliver: false }, headers);
      assert.equal(await messageOf(gateway, agent), "m");
      assert.equal((await gateway.post("agent", { message: 1 }, headers)).status, 400);
    });
  });

  test("without a match a mapping takes every name that is not built in", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { mappings: [{ messageTemplate: "at {{ path }}", deliver: false }] },
    });
    for (const name of ["anything", "a/b/c", "Wake", "agent/x"]) {
      const answer = await gateway.post(name, {});
      assert.equal(await messageOf(gateway, answer), `at ${name}`);
      assert.equal((await runOf(gateway, answer)).hook, name);
    }
    assert.equal((await gateway.post("", {})).status, 404, "a hook has a name");
    assert.equal((await gateway.post("x".repeat(201), {})).status, 404, "of at most 200 characters");
  });
});

test("match.headers and match.payload", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: {
      mappings: [
        mapping("opened", {
          match: {
            path: "issues",
            headers: { "X-GitHub-Event": ["issues", "pull_request"] },
            payload: { action: ["opened", "reopened"] },
          },
        }),
        mapping("closed", {
          match: { path: "issues", payload: { action: "closed", "issue.locked": false } },
        }),
        mapping("typed", {
          match: { path: "typed", payload: { "items[1].count": 2, nothing: null, "payload.x": "y" } },
        }),
        mapping("many", { match: { path: "many", headers: { "x-a": "1, 2" } } }),
      ],
    },
  });
  const event = ["X-GitHub-Event: issues"];

  await t.test("a list means any of its values; a header's name counts in any case", async () => {
    for (const action of ["opened", "reopened"])
      for (const header of ["X-GitHub-Event: issues", "x-github-event: pull_request"]) {
        const answer = await gateway.post("issues", { action }, [header]);
        assert.equal(await messageOf(gateway, answer), "taken by opened");
      }
  });

  await t.test("refused by the filters of one, the next is tried", async () => {
    const answer = await gateway.post("issues", { action: "closed", issue: { locked: false } }, event);
    assert.equal(await messageOf(gateway, answer), "taken by closed");
  });

  await t.test("refused by all: 204, and a record that says why without quoting the payload", async () => {
    const before = (await gateway.runs()).length;
    const answer = await gateway.post("issues", { action: "secret-action", issue: { locked: true } }, event);
    assert.deepEqual([answer.status, answer.text, answer.headers["content-type"]], [204, "", undefined]);
    const { hook, outcome, reason, id } = await lastRecord(gateway);
    assert.match(id, uuid7);
    assert.deepEqual([hook, outcome], ["issues", "skipped"]);
    assert.match(reason, /opened: the payload's action is not "opened" or "reopened"/);
    assert.match(reason, /closed: the payload's action is not "closed"/);
    assert.doesNotMatch(reason, /secret/);
    assert.equal((await gateway.runs()).length, before);
  });

  await t.test("a missing header or field is said to be missing", async () => {
    assert.equal((await gateway.post("issues", { action: "closed" })).status, 204);
    const { reason } = await lastRecord(gateway);
    assert.match(reason, /opened: there is no header x-github-event/);
    assert.match(reason, /closed: the payload has no issue\.locked/);
  });

  await t.test("values compare with their type, in arrays too", async () => {
    const fitting = { items: [0, { count: 2 }], nothing: null, payload: { x: "y" } };
    assert.equal((await gateway.post("typed", fitting)).status, 202);
    const others = [
      { ...fitting, items: [0, { count: "2" }] },
      { ...fitting, items: { 1: { count: 2 } } },
      { items: fitting.items, payload: fitting.payload },
      { ...fitting, payload: { x: ["y"] } },
    ];
    for (const payload of others) assert.equal((await gateway.post("typed", payload)).status, 204);
  });

  await t.test("a payload that is no object is only refused", async () => {
    for (const payload of [[], "text", 5, null, true])
      assert.equal((await gateway.post("typed", JSON.stringify(payload))).status, 204);
  });

  await t.test("a header's value counts exactly; repeated ones are joined with a comma", async () => {
    assert.equal((await gateway.post("many", {}, ["X-A: 1", "X-A: 2"])).status, 202);
    for (const headers of [["X-A: 1"], ["X-A: 2", "X-A: 1"], []])
      assert.equal((await gateway.post("many", {}, headers)).status, 204);
  });
});

test("what the caller is told, and what a mapping leaves open", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: {
      mappings: [
        { match: { path: "bare" }, messageTemplate: "m" },
        { match: { path: "note" }, action: "wake", textTemplate: "Build {{ id }}" },
        { match: { path: "later" }, action: "wake", wakeMode: "next-heartbeat", textTemplate: "t" },
        { match: { path: "empty" }, messageTemplate: " {{ nothing }} " },
        { match: { path: "empty-wake" }, action: "wake", textTemplate: "{{ nothing }}" },
        { match: { path: "no-template" } },
        { match: { path: "any" }, messageTemplate: "It is {{ payload }}." },
      ],
    },
  });

  await t.test("an agent mapping: 202 with the run's id, and the defaults", async () => {
    const answer = await gateway.post("bare", {});
    assert.deepEqual(Object.keys(answer.json), ["ok", "runId"]);
    assert.match(String(answer.json["runId"]), uuid7);
    const run = await runOf(gateway, answer);
    assert.deepEqual(
      [run.hook, run.agentId, run.requestedAgentId, run.sessionKey],
      ["bare", "main", null, `hook:${run.id}`],
    );
    const { unsafe, wakeMode, deliver, channel } = run.request;
    assert.deepEqual([unsafe, wakeMode, deliver, channel], [false, "now", true, "last"]);
    const { name, to, model, thinking, timeoutSeconds } = run.request;
    assert.deepEqual([name, to, model, thinking, timeoutSeconds], [null, null, null, null, null]);
  });

  await t.test("a wake mapping: 200 with mode and event", async () => {
    const now = await gateway.post("note", { id: 7 });
    assert.deepEqual([now.status, now.json["ok"], now.json["mode"]], [200, true, "now"]);
    const event = await gateway.inspect.findEvent(String(now.json["eventId"]));
    assert.deepEqual(event && [event.hook, event.source, event.text], ["note", "wake", ["Build 7"]]);
    const later = await gateway.post("later", {});
    assert.deepEqual([later.status, later.json["mode"]], [200, "next-heartbeat"]);
  });

  await t.test("`now` asks for a heartbeat, and its prompt shows the event", async () => {
    await gateway.post("note", { id: 8 });
    await gateway.waitFor("a heartbeat that shows it", async () =>
      (await gateway.runs("heartbeat")).some(({ reply }) => reply?.includes("Build 8")),
    );
  });

  await t.test("text that comes out blank is 400 and names the field", async () => {
    for (const [name, path] of [
      ["empty", "message"],
      ["no-template", "message"],
      ["empty-wake", "text"],
    ] as const) {
      const answer = await gateway.post(name, {});
      assert.deepEqual(codeOf(answer), [400, "invalid-payload"]);
      assert.deepEqual(answer.json["details"], [{ path, message: "is required" }]);
    }
  });

  await t.test("any JSON is a payload", async () => {
    for (const [body, shown] of [
      ['["a",1]', '["a",1]'],
      ['"text"', "text"],
      ["12.5", "12.5"],
      ["true", "true"],
      ["null", ""],
      ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    ] as const)
      assert.equal(await messageOf(gateway, await gateway.post("any", body)), `It is ${shown}.`);
  });

  await t.test("the body is checked as for any hook", async () => {
    assert.deepEqual(codeOf(await gateway.post("any", "")), [400, "invalid-json"]);
    assert.deepEqual(codeOf(await gateway.post("any", "{")), [400, "invalid-json"]);
    assert.deepEqual(codeOf(await gateway.post("any", `"${"x".repeat(262_144)}"`)), [413, "body-too-large"]);
  });
});
