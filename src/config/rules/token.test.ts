import assert from "node:assert/strict";
import test from "node:test";
import { configOf, gatewayToken, hookToken, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";

const ci = "ci-token-that-is-long-enough-1";
const secret = "a-secret-that-two-senders-have";

const withHooks = (hooks: object) => ({
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken, ...hooks },
});
const withTokens = (tokens: object, hooks: object = {}) => withHooks({ tokens, ...hooks });
const opening = (...hooks: unknown[]) => withTokens({ ci: { token: ci, hooks } });
const mapped = (...paths: string[]) => ({
  mappings: paths.map((path) => ({ match: { path }, messageTemplate: "m" })),
});

test("a named token is text, a file, a variable or a list", () => {
  const tokens = {
    ci: { token: [ci, "${NEXT}"], hooks: [" /agent/ ", "build/*"] },
    "x-1": { token: { file: "x" }, hooks: ["wake"] },
  };
  const around = {
    env: { NEXT: "next-token-that-is-long-enough" },
    files: { "/home/rouse/x": `${secret}\n` },
  };
  const unset = { results: null, callback: null };
  assert.deepEqual(configOf(withTokens(tokens), around).hooks.namedTokens, [
    { name: "ci", tokens: [ci, "next-token-that-is-long-enough"], hooks: ["agent", "build/*"], ...unset },
    { name: "x-1", tokens: [secret], hooks: ["wake"], ...unset },
  ]);
});

test("its name, its token and its hooks are checked", () => {
  const name = "must be a name of letters, digits and dashes, of up to 64";
  for (const bad of ["a b", "a/b", "ä", "x".repeat(65), "", "a_b"]) {
    const [problem, ...more] = problemsOf(withTokens({ [bad]: { token: ci, hooks: ["agent"] } }));
    assert.ok(problem?.endsWith(name), problem);
    assert.deepEqual(more, []);
  }
  for (const blank of ["", " ", []])
    assert.deepEqual(problemsOf(withTokens({ ci: { token: blank, hooks: ["agent"] } })), [
      "hooks.tokens.ci.token: must not be blank",
    ]);
  assert.equal(problemsOf(withTokens({ ci: { hooks: ["agent"] } })).length, 1);
  assert.equal(problemsOf(opening()).length, 1);
  const form = 'must be the name of a hook, or a prefix such as "build/*"; hooks.token opens every hook';
  for (const bad of ["*", "/*", "b*", "build/*/x", "*/x"])
    assert.deepEqual(problemsOf(opening("agent", bad)), [`hooks.tokens.ci.hooks[1]: ${form}`]);
  for (const bad of ["a b", "../agent", "a//b", "x%2fy", "a//*"])
    assert.deepEqual(problemsOf(opening(bad)), [
      "hooks.tokens.ci.hooks[0]: can never be reached: no request path can have this name",
    ]);
  assert.deepEqual(problemsOf(opening("agent", "wake", "agent/*")), []);
});

test("a named token cannot travel with blanks or characters beyond ASCII", () => {
  const message = "has characters that cannot travel in a header: use visible ASCII, without spaces";
  for (const token of ["with space and long enough", "schlüssel-that-is-long-enough"])
    assert.deepEqual(problemsOf(withTokens({ ci: { token, hooks: ["agent"] } })), [
      `hooks.tokens.ci.token: ${message}`,
    ]);
});

test("a hook that no mapping takes is a warning, a sender's is a problem", () => {
  const warnings = (hooks: string[], more: object) =>
    warningsOf(withTokens({ ci: { token: ci, hooks } }, more));
  const message = "has no mapping: its requests are 404";
  assert.deepEqual(warnings(["agent", "gone", "build/*", "out/*"], mapped("build/x", "outer")), [
    `hooks.tokens.ci.hooks[1]: ${message}`,
    `hooks.tokens.ci.hooks[3]: ${message}`,
  ]);
  assert.deepEqual(warnings(["gone"], { mappings: [{ messageTemplate: "m" }] }), []);
  const senders = { shop: { kind: "token", header: "x-shop", secret } };
  assert.deepEqual(
    problemsOf(withTokens({ ci: { token: ci, hooks: ["shop"] } }, { senders, ...mapped("shop") })),
    ["hooks.tokens.ci.hooks[0]: is a sender's: its own proof opens it, and no token does"],
  );
});

test("equal tokens are told by both their places, and by no value", () => {
  const found = problemsOf(withTokens({ ci: { token: [ci, hookToken], hooks: ["agent"] } }));
  assert.deepEqual(found, [
    "hooks.tokens.ci.token[1]: must not be the same as hooks.token: give each one of its own",
  ]);
});

test("senders of one kind may share a secret that signs; one that is sent, or of another kind, is of its own", () => {
  const sendersOf = (one: object, other: object) =>
    problemsOf(
      withHooks({
        senders: { one: { secret, ...one }, other: { secret, ...other } },
        ...mapped("one", "other"),
      }),
    );
  const problem =
    "hooks.senders.other.secret: must not be the same as hooks.senders.one.secret: give each one of its own";
  assert.deepEqual(sendersOf({ kind: "slack" }, { kind: "slack" }), []);
  assert.deepEqual(sendersOf({ kind: "slack" }, { kind: "github" }), [problem]);
  const token = { kind: "token", header: "x-token" };
  assert.deepEqual(sendersOf(token, token), [problem]);
});
