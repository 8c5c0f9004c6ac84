// Contract, section 6: a mapping's filters on headers and payload, and the record of a request that no mapping takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestGateway } from "../support/gateway.ts";
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
    "when all refuse: 204, and a record with the reason, which does not quote the payload",
    async () => {
      const before = (await gateway.runs()).length;
      const response = await gateway.post(
        "issues",
        { action: "secret-action", issue: { locked: true } },
        event,
      );
      assert.deepEqual(
        [response.status, response.text, response.headers["content-type"]],
        [204, "", undefined],
      );
      const { hook, outcome, reason, id } = await lastRecord(gateway);
      assert.match(id, uuid7);
      assert.deepEqual([hook, outcome], ["issues", "skipped"]);
      assert.match(reason, /opened: the payload's action is not "opened" or "reopened"/);
      assert.match(reason, /closed: the payload's action is not "closed"/);
      assert.doesNotMatch(reason, /secret/);
      assert.equal((await gateway.runs()).length, before);
    },
  );

  await t.test("the record names a missing header or field", async () => {
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
