import assert from "node:assert/strict";
import test from "node:test";
import { createCredentials } from "./credentials.ts";

const credentials = createCredentials({
  tokens: ["hook-token", "next-hook-token"],
  namedTokens: [
    {
      name: "ci",
      tokens: ["ci-token", "next-ci-token"],
      hooks: ["agent", "build/*"],
      results: null,
      callback: null,
    },
    { name: "home", tokens: ["home-token"], hooks: ["wake"], results: null, callback: null },
  ],
});

const holderOf = (token: string) => {
  const found = credentials.check(["Authorization", `Bearer ${token}`]);
  return typeof found === "string" ? found : found.name;
};

test("each token is known by its holder, in its first place and its last", () => {
  const tokens = ["hook-token", "next-hook-token", "ci-token", "next-ci-token", "home-token", "ci-toke"];
  assert.deepEqual(tokens.map(holderOf), [null, null, "ci", "ci", "home", "wrong"]);
  assert.equal(credentials.check(["x-gateway-token", "a", "x-gateway-token", "a"]), "repeated");
});

test("a token that can never be sent moves no other token's holder", () => {
  const odd = createCredentials({
    tokens: ["a\0b", ""],
    namedTokens: [{ name: "ci", tokens: ["ci-token"], hooks: ["agent"], results: null, callback: null }],
  });
  const found = odd.check(["x-gateway-token", "ci-token"]);
  assert.ok(typeof found !== "string");
  assert.equal(found.name, "ci");
});

test("a prefix opens what is below it", () => {
  const ci = credentials.check(["x-gateway-token", "ci-token"]);
  assert.ok(typeof ci !== "string");
  for (const hook of ["agent", "build/x", "build/x/y"]) assert.equal(ci.opens(hook), true, hook);
  for (const hook of ["build", "build/", "builder", "agent/x", "wake", "", "build/*x".slice(0, 5)])
    assert.equal(ci.opens(hook), false, hook);
});

test("a credential is found by its name", () => {
  assert.deepEqual(
    ["ci", "home", null, "other"].map((name) => credentials.find(name)?.name),
    ["ci", "home", null, undefined],
  );
});
