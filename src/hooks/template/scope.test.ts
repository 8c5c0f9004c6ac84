// The names that a template knows, and no others.
import assert from "node:assert/strict";
import test from "node:test";
import { messageFor, outside, textFor } from "../../../test/fixtures/template.ts";

test("the payload's own fields are at the top and under payload", () => {
  assert.equal(
    textFor("{{ title }} {{ payload.title }} {{ issue.user }}", { title: "x", issue: { user: "y" } }),
    "x x y",
  );
});

test("the five words win over fields of the same name", () => {
  const payload = { payload: "1", headers: { event: "2" }, query: { q: "3" }, path: "4", now: "5" };
  const others = { headers: { event: "push" }, query: { q: "asked" } };
  assert.equal(textFor("{{ headers.event }} {{ query.q }} {{ path }}", payload, others), "push asked github");
  assert.equal(textFor("{{ now }}", payload), "2026-01-02T03:04:05.000Z");
  assert.equal(
    textFor(
      "{{ payload.payload }}{{ payload.headers.event }}{{ payload.query.q }}{{ payload.path }}{{ payload.now }}",
      payload,
    ),
    "12345",
  );
});

test("headers, query and path are outside text", () => {
  const others = { headers: { "x-github-event": "push" }, query: { q: "asked" } };
  assert.deepEqual(messageFor("{{ headers.x-github-event }}{{ query['q'] }}{{ path }}", {}, others), [
    outside("headers.x-github-event", "push"),
    outside("query['q']", "asked"),
    outside("path", "github"),
  ]);
});

test("a payload that is no object is available as payload only", () => {
  for (const payload of [["a"], "text", 3, true, null, undefined]) {
    assert.equal(textFor("[{{ length }}{{ size }}{{ first }}{{ [0] }}{{ toString }}]", payload), "[]");
  }
  assert.equal(textFor("{{ payload[0] }}{{ payload.size }}", ["a"]), "a1");
  assert.equal(textFor("{{ payload }}", "text"), "text");
});

test("size, first and last at the top are fields like others", () => {
  assert.equal(textFor("[{{ size }}{{ first }}{{ last }}]", { a: 1 }), "[]");
  assert.equal(textFor("{{ size }}{{ first }}{{ last }}", { size: 1, first: 2, last: 3 }), "123");
});

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];

test("inherited properties are missing", () => {
  const payload = { object: {}, list: [1], text: "x", number: 1 };
  for (const name of inherited) {
    for (const owner of ["payload", "object", "list", "text", "number", "headers", "missing"]) {
      const source = `[{{ ${owner}.${name} }}{{ ${owner}["${name}"] }}{{ ${owner}.${name}.name }}]`;
      assert.deepEqual(messageFor(source, payload), ["[]"], source);
    }
    assert.deepEqual(
      messageFor(`[{{ ${name} }}{{ ["${name}"] }}{{ payload[key] }}]`, { key: name }),
      ["[]"],
      name,
    );
  }
  for (const name of ["map", "filter", "length.constructor"])
    assert.equal(textFor(`{{ list.${name} }}`, payload), "");
});

test("inherited properties are missing in a loop as well, wherever the name comes from", () => {
  for (const name of [...inherited, "next", "liquidMethodMissing", "i"]) {
    assert.equal(
      textFor(`{% for a in list %}{{ forloop.${name} }}{{ forloop[key] }}{% endfor %}`, {
        list: [1],
        key: name,
      }),
      "",
    );
  }
});

test("a filter that takes a path finds nothing inherited", () => {
  const list = [{ a: 1 }, "x", null, 3, []];
  for (const name of inherited) {
    assert.equal(textFor(`{{ list | map: '${name}' | compact }}`, { list }), "[]");
    assert.equal(textFor(`{{ list | where: '${name}' }}`, { list }), "[]");
    assert.equal(textFor(`{{ list | sum: '${name}' }}`, { list }), "0");
  }
});

test("a payload's own field with such a name is available", () => {
  const payload: unknown = JSON.parse('{"__proto__":"p","constructor":"c","object":{"toString":"t"}}');
  assert.deepEqual(messageFor("{{ __proto__ }}{{ constructor }}{{ object.toString }}", payload), [
    outside("__proto__", "p"),
    outside("constructor", "c"),
    outside("object.toString", "t"),
  ]);
  assert.equal(textFor("{% assign __proto__ = constructor %}{{ __proto__ }}{{ polluted }}", payload), "c");
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
