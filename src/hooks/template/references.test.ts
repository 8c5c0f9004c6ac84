import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, request } from "../../../test/fixtures/template.ts";
import { scopeOf } from "./scope.ts";
import { createSeen } from "./seen.ts";

function seenIn(source: string, payload: unknown) {
  const seen = createSeen();
  compiled(source).renderMessage(scopeOf(request(payload, { headers: { "x-a": "1" } })), undefined, seen);
  return { met: [...seen.met], missing: Object.fromEntries(seen.missing) };
}
const missingIn = (source: string, payload: unknown = {}) => seenIn(source, payload).missing;

test("a reference that leads nowhere is missing, once; what is there is met, empty or not", () => {
  const payload = { a: { b: "" }, nothing: null, list: [{ n: 0 }], no: false };
  const source =
    "{{ a.b }}{{ a.c }}{{ a.c | upcase }}{{ gone.deep.er }}{{ nothing }}{{ nothing.x }}{{ list[0].n }}{{ list[1].n }}{{ no }}{{ payload.a }}{{ headers.x-a }}{{ headers.x-b }}{{ query.q }}{{ now }}";
  const { met, missing } = seenIn(source, payload);
  assert.deepEqual(met, ["a.b", "nothing", "list[0].n", "no", "payload.a", "headers.x-a", "now"]);
  assert.deepEqual(Object.keys(missing), [
    "a.c",
    "gone.deep.er",
    "nothing.x",
    "list[1].n",
    "headers.x-b",
    "query.q",
  ]);
});

test("a default replaces what is missing; literals and ranges are no references", () => {
  assert.deepEqual(
    missingIn('{{ a | default: "none" }}{{ "text" }}{{ 5 }}{% for i in (1..2) %}{{ i }}{% endfor %}'),
    {},
  );
  assert.deepEqual(seenIn('{{ a | default: "none" }}', { a: 1 }).met, ["a"]);
  assert.deepEqual(missingIn('{{ "x" | append: a.b }}{{ "x" | default: c, allow_false: d }}'), {
    "a.b": true,
  });
});

test("inside a condition a reference is optional, unless it is required elsewhere", () => {
  assert.deepEqual(missingIn("{% if a %}{{ a }}{% endif %}"), {}, "not rendered");
  assert.deepEqual(missingIn("{% if a %}{% else %}{{ b }}{% endif %}"), { b: false });
  assert.deepEqual(missingIn("{% unless a %}{{ b }}{% endunless %}{{ c }}"), { b: false, c: true });
  assert.deepEqual(missingIn("{% case a %}{% when 1 %}{% else %}{{ b }}{% endcase %}"), { b: false });
  const both = "{% unless a %}{{ b }}{% endunless %}{{ b }}{% unless a %}{{ b }}{% endunless %}";
  assert.deepEqual(missingIn(both), { b: true });
});

test("a loop's list is a reference, and so is what is read of each element", () => {
  const loop = "{% for label in issue.labels %}{{ label.name }}{{ label.colour }}{% endfor %}";
  assert.deepEqual(missingIn(loop), { "issue.labels": true });
  assert.deepEqual(missingIn(`{% if issue %}{% endif %}${loop}`, { issue: { labels: [] } }), {});
  const labels = [{ name: "bug", colour: "red" }, { name: "new" }];
  const { met, missing } = seenIn(loop, { issue: { labels } });
  assert.deepEqual(
    [met, missing],
    [["issue.labels", "label.name", "label.colour"], { "label.colour": true }],
  );
  assert.deepEqual(missingIn("{% for a in none %}{% else %}nothing{% endfor %}"), {});
  assert.deepEqual(missingIn("{% assign t = pull.title %}{{ t }}"), { t: true });
  assert.deepEqual(missingIn("{% assign k = 'x' %}{{ a[k] }}", { a: {} }), { "a[k]": true });
});

test("a condition that cannot be read leaves no later template optional", () => {
  assert.throws(() => compiled("{% if a %}{{ b }}"));
  assert.deepEqual(missingIn("{{ b }}"), { b: true });
});
