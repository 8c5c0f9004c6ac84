// Contract, section 6: a mapping's filters on headers and payload, and the record of a request that no mapping takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachStore, startTestGateway } from "../support/gateway.ts";
import { lastRecord, mapping, messageOf, uuid7 } from "../support/mapped.ts";

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
        const response = await gateway.post("issues", { action }, [header]);
        assert.equal(await messageOf(gateway, response), "taken by opened");
      }
  });

  await t.test("when the filters of one refuse, the next is tried", async () => {
    const response = await gateway.post("issues", { action: "closed", issue: { locked: false } }, event);
    assert.equal(await messageOf(gateway, response), "taken by closed");
  });

  await t.test(
    "when all refuse: 204, and a record with the values that the filters met, and nothing else of the payload",
    async () => {
      const before = (await gateway.runs()).length;
      const response = await gateway.post(
        "issues",
        { action: "assigned", issue: { locked: true }, title: "secret" },
        event,
      );
      assert.deepEqual(
        [response.status, response.text, response.headers["content-type"]],
        [204, "", undefined],
      );
      const { hook, outcome, reason, id } = await lastRecord(gateway);
      assert.match(id, uuid7);
      assert.deepEqual([hook, outcome], ["issues", "skipped"]);
      assert.equal(
        reason,
        'no mapping took it: opened: payload.action was "assigned", wanted "opened" or "reopened"; closed: payload.action was "assigned", wanted "closed" and payload.issue.locked was true, wanted false',
      );
      assert.deepEqual(
        gateway.logLines.filter((line) => line.includes("assigned")),
        [],
        "no value reaches the log",
      );
      assert.doesNotMatch(reason, /secret/);
      assert.equal((await gateway.runs()).length, before);
    },
  );

  await t.test("the record names a missing header or field", async () => {
    assert.equal((await gateway.post("issues", { action: "closed" })).status, 204);
    const { reason } = await lastRecord(gateway);
    assert.match(reason, /opened: header x-github-event is missing, wanted "issues" or "pull_request"/);
    assert.match(reason, /closed: payload\.issue\.locked is missing, wanted false/);
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

forEachStore("a record keeps what a filter met, cut and whole in every store", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { hooks: { mappings: [mapping("x", { match: { path: "x", payload: { state: "on" } } })] } },
    { store },
  );
  const met = `${"\u0000\ud83d\u202e".padEnd(198, "a")}😀${"b".repeat(500)}`;
  assert.equal((await gateway.post("x", { state: met })).status, 204);
  const { reason } = await lastRecord(gateway);
  const cut = JSON.stringify(`${met.slice(0, 198)}…`);
  assert.equal(reason, `no mapping took it: x: payload.state was ${cut}, wanted "on"`);
});

test("operators in match.headers and match.payload", async (t) => {
  const operators = {
    "pull.labels[*].name": { startsWith: "area/", not: ["wip", { endsWith: "/internal" }] },
    "pull.user.type": { not: "Bot" },
    "pull.title": { matches: "(?i)\\bfix(es|ed)?\\b" },
    "pull.additions": { above: 0, below: 500 },
    "pull.draft": [{ exists: false }, false],
  };
  const gateway = await startTestGateway(t, {
    hooks: {
      mappings: [
        mapping("pulls", {
          match: {
            path: "pulls",
            headers: { "X-Event": { contains: "pull", not: "pull_ping" } },
            payload: operators,
          },
        }),
        mapping("long", { match: { path: "long", payload: { text: { matches: "x{200}y" } } } }),
      ],
    },
  });
  const pull = {
    labels: [{ name: "area/api" }, { name: "bug" }],
    user: { type: "User" },
    title: "Fixes the queue",
    additions: 12,
  };
  const post = (changed: object = {}, event = "pull_opened") =>
    gateway.post("pulls", { pull: { ...pull, ...changed } }, [`X-Event: ${event}`]);

  await t.test("what fits all of them is taken", async () => {
    for (const changed of [{}, { draft: false }, { user: {} }, { additions: "499" }])
      assert.equal((await post(changed)).status, 202, JSON.stringify(changed));
  });

  await t.test("each that refuses is recorded with what it met and what it wanted", async () => {
    const cases: [changed: object, reason: string][] = [
      [
        { labels: [{ name: "area/api" }, { name: "wip" }] },
        'payload.pull.labels[*].name was "area/api" and "wip", wanted what starts with "area/" and not ("wip" or what ends with "/internal")',
      ],
      [
        { labels: [] },
        'payload.pull.labels[*].name is missing, wanted what starts with "area/" and not ("wip" or what ends with "/internal")',
      ],
      [{ user: { type: "Bot" } }, 'payload.pull.user.type was "Bot", wanted not "Bot"'],
      [
        { title: "Prefix" },
        'payload.pull.title was "Prefix", wanted what matches "(?i)\\\\bfix(es|ed)?\\\\b"',
      ],
      [{ additions: 500 }, "payload.pull.additions was 500, wanted above 0 and below 500"],
      [{ draft: true }, "payload.pull.draft was true, wanted none or false"],
    ];
    for (const [changed, reason] of cases) {
      assert.equal((await post(changed)).status, 204);
      assert.equal((await lastRecord(gateway)).reason, `no mapping took it: pulls: ${reason}`);
    }
    assert.equal((await post({}, "pull_ping")).status, 204);
    assert.match(
      (await lastRecord(gateway)).reason,
      /header x-event was "pull_ping", wanted what contains "pull" and not "pull_ping"$/,
    );
  });

  await t.test("texts that would take its patterns too long fail the request", async () => {
    const response = await gateway.post("long", { text: "x ".repeat(50_000) });
    assert.deepEqual([response.status, response.json["code"]], [500, "mapping-failed"]);
    const { outcome, reason } = await lastRecord(gateway);
    assert.deepEqual([outcome, reason.split(":")[0]], ["failed", "long"]);
    assert.match(reason, /the patterns of `matches` would take too long/);
  });
});
