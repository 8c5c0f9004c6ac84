import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExactJson } from "../core/exact-json.ts";
import { callbackOrigin } from "./callback-origin.ts";

const repository = { full_name: "octo/hello.world" };
const project = { path_with_namespace: "group/sub/project" };

test("the issue or request on GitHub", () => {
  const at = (payload: object) => callbackOrigin("github-comment", payload);
  assert.equal(at({ repository, issue: { number: 12 } }), "octo/hello.world#12");
  assert.equal(at({ repository, pull_request: { number: 13 }, number: 99 }), "octo/hello.world#13");
  assert.equal(at({ repository, number: 14 }), "octo/hello.world#14");
  const exact = parseExactJson('{"repository":{"full_name":"a/b"},"issue":{"number":12}}');
  assert.equal(callbackOrigin("github-comment", exact), "a/b#12");
});

test("the issue or merge request on GitLab", () => {
  const at = (payload: object) => callbackOrigin("gitlab-comment", payload);
  assert.equal(at({ project, object_kind: "issue", object_attributes: { iid: 3 } }), "group/sub/project#3");
  assert.equal(
    at({ project, object_kind: "merge_request", object_attributes: { iid: 4 } }),
    "group/sub/project!4",
  );
  assert.equal(
    at({ project, object_kind: "note", object_attributes: { id: 9 }, merge_request: { iid: 5 } }),
    "group/sub/project!5",
  );
  assert.equal(
    at({ project, object_kind: "note", object_attributes: { id: 9 }, issue: { iid: 6 } }),
    "group/sub/project#6",
  );
  assert.equal(at({ project, object_kind: "push" }), "");
});

test("the address of Slack", () => {
  const address = "https://hooks.slack.com/commands/T1/2/abc";
  assert.equal(callbackOrigin("slack-response", { response_url: address }), address);
  assert.equal(
    callbackOrigin("slack-response", { payload: JSON.stringify({ response_url: address }) }),
    address,
  );
});

test("a standard callback goes nowhere in particular", () => {
  assert.equal(callbackOrigin("standard", { repository, issue: { number: 1 } }), null);
});

test("no payload leads a reply to another host, another path, or beyond an issue", () => {
  const hostileGithub = [
    null,
    "text",
    {},
    { repository },
    { repository: { full_name: "../../user" }, issue: { number: 1 } },
    { repository: { full_name: "a/.." }, issue: { number: 1 } },
    { repository: { full_name: "a/b/c" }, issue: { number: 1 } },
    { repository: { full_name: "a/b#1?x" }, issue: { number: 1 } },
    { repository, issue: { number: "1/../../user" } },
    { repository, issue: { number: -1 } },
    { repository, issue: { number: 1.5 } },
    { repository, issue: { number: 1e30 } },
  ];
  for (const payload of hostileGithub)
    assert.equal(callbackOrigin("github-comment", payload), "", JSON.stringify(payload));
  for (const name of ["a", "a/../b", "a//b", "a/b!1", "a/b#2", "a/b?x=1", `a/${"b".repeat(400)}`])
    assert.equal(
      callbackOrigin("gitlab-comment", {
        project: { path_with_namespace: name },
        object_kind: "issue",
        object_attributes: { iid: 1 },
      }),
      "",
      name,
    );
  for (const address of [
    "http://hooks.slack.com/x",
    "https://hooks.slack.com.evil.test/x",
    "https://evil.test/?hooks.slack.com",
    "https://hooks.slack.com:8443/x",
    "https://me:pass@hooks.slack.com/x",
    "https://hooks.slack.com@evil.test/x",
    "javascript:alert(1)",
    `https://hooks.slack.com/${"x".repeat(3000)}`,
    7,
  ])
    assert.equal(callbackOrigin("slack-response", { response_url: address }), "", String(address));
});
