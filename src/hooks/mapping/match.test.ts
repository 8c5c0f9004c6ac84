import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFilterPath } from "../../core/field-path.ts";
import type { Condition, MatchConfig } from "../../config/config.ts";
import { createMatcher, matchRefusal } from "./match.ts";
import { parseMapped, queryOf, visibleHeaders, type MappedRequest } from "./request.ts";

type Written = {
  path?: string;
  source?: string;
  events?: string[];
  headers?: Record<string, Condition[]>;
  payload?: Record<string, Condition[]>;
};

const match = ({ path, source, events, headers = {}, payload = {} }: Written): MatchConfig => ({
  path: path ?? null,
  source: source ?? null,
  events: events ?? null,
  headers: Object.entries(headers).map(([name, wanted]) => ({ name, wanted })),
  payload: Object.entries(payload).map(([written, wanted]) => ({
    written,
    path: parseFilterPath(written)!,
    wanted,
  })),
});

const matcher = (...mappings: (Written & { id: string })[]) =>
  createMatcher(mappings.map((each) => ({ id: each.id, match: match(each) })));

const request = (
  name: string,
  payload: unknown = {},
  headers: Record<string, string> = {},
): MappedRequest => ({
  name,
  payload,
  headers,
  query: {},
  now: "2026-01-01T00:00:00.000Z",
});

test("the first match in the order of the configuration wins, whatever its index", () => {
  const hooks = matcher(
    { id: "source", source: "crm" },
    { id: "both", path: "in", source: "shop" },
    { id: "path", path: "in" },
    { id: "any" },
  );
  const taken = (name: string, payload: unknown) => {
    const found = hooks.find(request(name, payload));
    return found.kind === "found" ? found.mapping.id : found.kind;
  };
  assert.equal(taken("in", { source: "crm" }), "source");
  assert.equal(taken("in", { source: "shop" }), "both");
  assert.equal(taken("in", { source: "other" }), "path");
  assert.equal(taken("in", []), "path");
  assert.equal(taken("elsewhere", { source: "shop" }), "any");
  assert.equal(taken("elsewhere", "text"), "any");
});

test("a path and a source must both match; a source that is no string never does", () => {
  const hooks = matcher({ id: "both", path: "in", source: "7" });
  assert.equal(hooks.find(request("in", { source: "7" })).kind, "found");
  assert.equal(hooks.find(request("in", { source: 7 })).kind, "unknown");
  assert.equal(hooks.find(request("in", Object.create({ source: "7" }))).kind, "unknown");
  assert.equal(hooks.find(request("other", { source: "7" })).kind, "unknown");
});

test("a name is known when some mapping could take it", () => {
  const hooks = matcher({ id: "a", path: "a/b", source: "x" });
  assert.equal(hooks.couldTake("a/b"), true);
  assert.equal(hooks.couldTake("A/b"), false);
  assert.equal(hooks.couldTake("a"), false);
  assert.equal(matcher().couldTake("a"), false);
  const any = matcher({ id: "any", source: "x" });
  assert.equal(any.couldTake("whatever"), true);
  assert.equal(any.couldTake(""), false);
  assert.equal(any.couldTake("x".repeat(201)), false);
});

test("when filters refuse, the next mapping is tried; when all refuse, the reasons are given", () => {
  const hooks = matcher(
    { id: "opened", path: "github", payload: { action: ["opened", "reopened"], "issue.draft": [false] } },
    { id: "push", path: "github", headers: { "x-github-event": ["push"] } },
  );
  const draft = { action: "opened", issue: { draft: false } };
  assert.deepEqual(hooks.find(request("github", draft)).kind, "found");
  const pushed = hooks.find(request("github", { action: "closed" }, { "x-github-event": "push" }));
  assert.ok(pushed.kind === "found" && pushed.mapping.id === "push");
  assert.deepEqual(hooks.find(request("github", { action: "closed" }, { "x-github-event": "PUSH" })), {
    kind: "filtered",
    reasons: [
      'opened: payload.action was "closed", wanted "opened" or "reopened" and payload.issue.draft is missing, wanted false',
      'push: header x-github-event was "PUSH", wanted "push"',
    ],
  });
  assert.deepEqual(hooks.find(request("github", { action: "opened" })), {
    kind: "filtered",
    reasons: [
      "opened: payload.issue.draft is missing, wanted false",
      'push: header x-github-event is missing, wanted "push"',
    ],
  });
});

test("values are compared with their type", () => {
  const one = match({ payload: { n: [1, null, true] } });
  for (const n of [1, null, true]) assert.equal(matchRefusal(one, request("x", { n })), null);
  for (const n of ["1", 0, false, "true", [1], {}])
    assert.notEqual(matchRefusal(one, request("x", { n })), null);
});

test("the value that a filter met is shown on one line, cut, and a list or an object only as such", () => {
  const wanted = match({ payload: { x: ["a"] } });
  const said = (x: unknown) => matchRefusal(wanted, request("n", { x }));
  assert.equal(said("b\n\u001b[2J"), 'payload.x was "b\\n\\u001b[2J", wanted "a"');
  for (const [value, shown] of [
    [null, "null"],
    [false, "false"],
    [7, "7"],
    [["secret"], "a list"],
    [{ secret: 1 }, "an object"],
  ] as const)
    assert.equal(said(value), `payload.x was ${shown}, wanted "a"`);
  assert.equal(said("x".repeat(1000)), `payload.x was "${"x".repeat(199)}…", wanted "a"`);
  const digits = parseMapped(Buffer.from(`{"x":1${"0".repeat(999)}}`));
  assert.ok("value" in digits);
  const long = matchRefusal(wanted, request("n", digits.value)) ?? "";
  assert.equal(long, `payload.x was 1${"0".repeat(198)}…, wanted "a"`);
  assert.equal(
    matchRefusal(match({ payload: { "[0].x": [1] } }), request("n", [])),
    "payload[0].x is missing, wanted 1",
  );
});

test("the reasons are bounded: mappings, filters of each, and values of each filter", () => {
  const payload = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`f${at}`, Array.from({ length: 9 }, (__, value) => value)]),
  );
  const hooks = matcher(...Array.from({ length: 9 }, (_, at) => ({ id: `m${at}`, path: "n", payload })));
  const found = hooks.find(request("n", {}));
  assert.ok(found.kind === "filtered");
  assert.equal(found.reasons.length, 6);
  const values = "0 or 1 or 2 or 3 or 4 or one of 4 more";
  assert.equal(
    found.reasons[0],
    `m0: ${["f0", "f1", "f2"].map((each) => `payload.${each} is missing, wanted ${values}`).join(" and ")} and 6 more filters`,
  );
  assert.equal(found.reasons[5], "and 4 more mappings");
});

test("a name or source that does not match: the reason shows configured values only", () => {
  const reason = matchRefusal(match({ path: "a" }), request("secret-name"));
  assert.equal(reason, "match.path is a");
  assert.equal(
    matchRefusal(match({ source: "crm" }), request("a", { source: "secret" })),
    "the payload's source is not crm",
  );
});

test("secret headers are left out, repeated ones are joined", () => {
  const headers = visibleHeaders(
    ["Authorization", "Bearer x", "X-Gateway-Token", "x", "Cookie", "c", "Proxy-Authorization", "p"].concat([
      "X-Event",
      "a",
      "x-event",
      "b",
      "__proto__",
      "odd",
    ]),
  );
  assert.deepEqual({ ...headers }, { "x-event": "a, b", ["__proto__"]: "odd" });
});

test("of a repeated query parameter, the last one is used", () => {
  assert.deepEqual(
    { ...queryOf("/hooks/x?a=1&b=%20&a=2&__proto__=3") },
    { a: "2", b: " ", ["__proto__"]: "3" },
  );
  assert.deepEqual({ ...queryOf("/hooks/x") }, {});
});
