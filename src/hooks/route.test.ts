import assert from "node:assert/strict";
import test from "node:test";
import { matchRoute } from "./route.ts";

const nameOf = (target: string, base = "/hooks"): string | null => matchRoute(target, base)?.name ?? null;

test("the name is what follows the base", () => {
  assert.equal(nameOf("/hooks/wake"), "wake");
  assert.equal(nameOf("/hooks/wake/"), "wake");
  assert.equal(nameOf("/hooks/a/b.c?x=/../"), "a/b.c");
  assert.equal(nameOf("/hooks"), "");
  assert.equal(nameOf("/hooks/"), "");
  assert.equal(nameOf("/hooks?x"), "");
  assert.equal(nameOf("/a/b/wake", "/a/b"), "wake");
  assert.equal(nameOf("/hooks/w%61ke"), "w%61ke", "nothing is decoded");
  assert.equal(nameOf("/hooks/..a/.b/..."), "..a/.b/...");
});

test("targets that a proxy could read differently are not found", () => {
  const targets = [
    "/",
    "",
    "*",
    "/hook",
    "/hooksx",
    "/HOOKS/wake",
    "//hooks/wake",
    "/hooks//wake",
    "/hooks/wake//",
    "/hooks/./wake",
    "/hooks/../hooks/wake",
    "/hooks/wake/..",
    "/hooks/wake/.",
    "/hooks/%2e%2E/wake",
    "/hooks/.%2e",
    "/hooks\\wake",
    "/hooks/a\\b",
    "/hooks/a%2fb",
    "/hooks/a%2Fb",
    "/hooks/a%5cb",
    "http://x/hooks/wake",
    "/ho%6fks/wake",
  ];
  for (const target of targets) assert.equal(matchRoute(target, "/hooks"), null, target);
});

test("a token in the query is found in any encoding, and nothing else is", () => {
  const seen = [
    "token=x",
    "token",
    "token=",
    "a=1&token=x",
    "a;token=x",
    "TOKEN=x",
    "to%6ben=x",
    "%54oken",
    "&&token",
    "?token=x",
  ];
  for (const query of seen)
    assert.equal(matchRoute(`/hooks/wake?${query}`, "/hooks")?.hasTokenInQuery, true, query);
  const clean = ["", "tokens=x", "a=token", "xtoken=1", "a=1&b=token=2", "to%zzken=1"];
  for (const query of clean)
    assert.equal(matchRoute(`/hooks/wake?${query}`, "/hooks")?.hasTokenInQuery, false, query);
});

test("under the base means up to a slash, a question mark or the end", () => {
  for (const target of ["/hooks", "/hooks/x", "/hooks?x"]) assert.notEqual(nameOf(target), null, target);
  for (const target of ["/hooksx", "/healthz"]) assert.equal(nameOf(target), null, target);
});
