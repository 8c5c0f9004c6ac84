// Any request target: a name that no proxy can read differently, or none; and every token in a query is found.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { matchRoute } from "./route.ts";

const pieces = fc.constantFrom(
  "/",
  "//",
  ".",
  "..",
  "%2e",
  "%2F",
  "%5c",
  "\\",
  "a",
  "wake",
  "?",
  "&",
  ";",
  "=",
  "%",
  "#",
);
const tokens = fc.constantFrom(
  "token",
  "TOKEN",
  "tok%65n",
  "%54oken",
  "t%6Fken",
  "toke",
  "token%20",
  "+token",
  "%00token",
);
const part = fc.oneof(pieces, tokens, fc.string({ maxLength: 3 }));
const target = fc.oneof(
  fc.string(),
  fc.array(part, { maxLength: 10 }).map((each) => `/hooks/${each.join("")}`),
  fc.array(part, { maxLength: 10 }).map((each) => `/hooks/a?${each.join("")}`),
);

test("a name has no segment that could be read as another path", () => {
  fc.assert(
    fc.property(target, (written) => {
      const route = matchRoute(written, "/hooks");
      if (route === null) return;
      assert.match(written, /^\/hooks(?:[/?]|$)/);
      assert.doesNotMatch(route.name, /\/\/|\\|%2f|%5c|\?/i);
      const segments = route.name.split("/").map((each) => each.replaceAll(/%2e/gi, "."));
      assert.ok(!segments.includes(".") && !segments.includes(".."), written);
      assert.ok(written.startsWith(`/hooks/${route.name}`) || route.name === "");
    }),
    cases(5000),
  );
});

test("every parameter that a form decoder would call a token is found", () => {
  fc.assert(
    fc.property(target, (written) => {
      const route = matchRoute(written, "/hooks");
      const at = written.indexOf("?");
      if (route === null || at === -1) return;
      const names = [...new URLSearchParams(written.slice(at + 1)).keys()];
      if (names.some((name) => name.toLowerCase() === "token")) assert.ok(route.hasTokenInQuery, written);
    }),
    cases(5000),
  );
});
