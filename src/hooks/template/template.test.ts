// What a template renders, and whether it becomes outside text or the operator's.
import assert from "node:assert/strict";
import test from "node:test";
import { compiled, messageFor, now, outside, request, textFor } from "../../../test/fixtures/template.ts";
import { scopeOf } from "./scope.ts";

const mails = {
  title: "Hello",
  messages: [
    { from: "ann@example.org", subject: "One" },
    { from: "bob@example.org", subject: "Two" },
  ],
};

test("a string from the request is an outside part, with the expression as its label", () => {
  assert.deepEqual(messageFor("Mail from {{ messages[0].from }}!", mails), [
    "Mail from ",
    outside("messages[0].from", "ann@example.org"),
    "!",
  ]);
  assert.deepEqual(messageFor("{{title|upcase}}", mails), [outside("title|upcase", "HELLO")]);
  assert.deepEqual(messageFor("{{-  title\n  |  upcase -}}", mails), [outside("title | upcase", "HELLO")]);
  assert.deepEqual(messageFor("{{ 'written out' }}", mails), [outside("'written out'", "written out")]);
});

test("a missing, null or empty value leaves no part, and the operator's text around it is one string", () => {
  const payload = { nothing: null, empty_text: "", list: [] };
  for (const expression of [
    "missing",
    "missing.deeper.still",
    "nothing",
    "nothing.deeper",
    "empty_text",
    "list[0]",
    "nil",
    "empty",
    "blank",
    "missing | upcase",
    "missing | json",
  ]) {
    assert.deepEqual(messageFor(`a {{ ${expression} }} b`, payload), ["a  b"], expression);
  }
  assert.deepEqual(messageFor("{{ missing }}", payload), []);
});

test("numbers and booleans are in the operator's text", () => {
  const payload: unknown = JSON.parse(
    '{"n":3,"f":0.1,"big":1e21,"minus":-0,"beyond":1e400,"yes":true,"no":false}',
  );
  assert.deepEqual(
    messageFor("{{ n }} {{ f }} {{ big }} {{ minus }} {{ beyond }} {{ yes }}/{{ no }}", payload),
    ["3 0.1 1e+21 0 Infinity true/false"],
  );
  assert.deepEqual(messageFor("{{ n | plus: 1 }} {{ n == 3 }} {{ n | append: '' }}", payload), [
    "4 true ",
    outside("n | append: ''", "3"),
  ]);
});

test("objects and arrays are compact JSON, as one outside part", () => {
  const payload = { object: { a: [1, "x", null], b: { c: true } }, list: ["x", 1], none: {} };
  assert.deepEqual(messageFor("{{ object }}{{ list }}{{ none }}", payload), [
    outside("object", '{"a":[1,"x",null],"b":{"c":true}}'),
    outside("list", '["x",1]'),
    outside("none", "{}"),
  ]);
  assert.deepEqual(messageFor("{{ payload }}", ["a"]), [outside("payload", '["a"]')]);
  assert.equal(textFor("{{ object | json: 1 }}", { object: { a: 1 } }), '{\n "a": 1\n}');
});

test("the time is the operator's text, as it is or in a format the operator wrote", () => {
  assert.deepEqual(messageFor("{{ now }}", {}), [now]);
  assert.deepEqual(messageFor("at {{ now | date: '%Y' }}.", {}), ["at 2026."]);
  assert.deepEqual(messageFor("{{ now | date: '%d %B %H:%M', 'UTC' }}", {}), ["02 January 03:04"]);
  assert.deepEqual(messageFor("{{ now | date: form }}", { form: "ignore all" }), [
    outside("now | date: form", "ignore all"),
  ]);
  assert.deepEqual(messageFor("{{ now | append: title }}", mails), [
    outside("now | append: title", `${now}Hello`),
  ]);
});

test("another value under the name of the time is outside text", () => {
  for (const source of [
    "{% assign now = title %}{{ now }}",
    "{% capture now %}{{ title }}{% endcapture %}{{ now }}",
    "{% assign titles = title | split: ' ' %}{% for now in titles %}{{ now }}{% endfor %}",
  ]) {
    assert.deepEqual(messageFor(source, mails), [outside("now", "Hello")], source);
  }
  assert.deepEqual(messageFor("{{ payload.now }}", { now: "never" }), [outside("payload.now", "never")]);
});

test("captured text is one outside part", () => {
  assert.deepEqual(
    messageFor("{% capture line %}Re: {{ title }} {{ 1 }}{{ now }}{% endcapture %}[{{ line }}]", mails),
    ["[", outside("line", `Re: Hello 1${now}`), "]"],
  );
  assert.deepEqual(messageFor("{% capture line %}{{ messages[1] }}{% endcapture %}{{ line }}", mails), [
    outside("line", '{"from":"bob@example.org","subject":"Two"}'),
  ]);
});

test("a value is never parsed as a template", () => {
  const payload = { title: "{{ secret }}{% raw %}", secret: "s" };
  assert.deepEqual(messageFor("{{ title }}", payload), [outside("title", "{{ secret }}{% raw %}")]);
  assert.equal(
    textFor("{% assign a = title %}{% capture b %}{{ a }}{% endcapture %}{{ b }}", payload),
    payload.title,
  );
});

test("arrays: index, from the end, beyond it, size, first and last", () => {
  const source =
    "{{ messages[1].from }} {{ messages[-1].subject }} {{ messages[7].from }}{{ messages[-7].from }}";
  assert.equal(textFor(source, mails), "bob@example.org Two ");
  assert.equal(textFor("{{ messages.size }}{{ title.size }}{{ messages | size }}", mails), "252");
  assert.equal(textFor("{{ messages.first.subject }}{{ messages.last.subject }}", mails), "OneTwo");
  assert.equal(textFor('{{ messages["0"]["from"] }}', mails), "ann@example.org");
  assert.equal(textFor("{% assign at = 1 %}{{ messages[at].subject }}", mails), "Two");
});

test("if, unless, case and for", () => {
  const source = `{% for m in messages limit: 5 %}{{ forloop.index }}/{{ forloop.length }} {{ m.subject }}{% unless forloop.last %}, {% endunless %}{% else %}none{% endfor %}`;
  assert.deepEqual(messageFor(source, mails), [
    "1/2 ",
    outside("m.subject", "One"),
    ", 2/2 ",
    outside("m.subject", "Two"),
  ]);
  assert.deepEqual(messageFor(source, {}), ["none"]);
  assert.equal(textFor("{% for m in messages reversed %}{{ m.subject }}{% endfor %}", mails), "TwoOne");
  assert.equal(textFor("{% for m in messages offset: 1 %}{{ m.subject }}{% endfor %}", mails), "Two");
  assert.equal(
    textFor(
      "{% for i in (1..4) %}{% if i == 2 %}{% continue %}{% elsif i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}",
      {},
    ),
    "13",
  );
  assert.equal(textFor("{% case title %}{% when 'Hi', 'Hello' %}a{% else %}b{% endcase %}", mails), "a");
  assert.deepEqual(messageFor("{% for pair in object %}{{ pair[0] }}{% endfor %}", { object: { key: 1 } }), [
    outside("pair[0]", "key"),
  ]);
});

test("comments render nothing, raw renders its content unchanged", () => {
  assert.deepEqual(
    messageFor("a{% comment %}{{ title }}{% include 'x' %}{% endcomment %}b{% # c %}", mails),
    ["ab"],
  );
  assert.deepEqual(messageFor("a {% raw %}{{ title }}{% endraw %} b", mails), ["a {{ title }} b"]);
});

test("filters", () => {
  assert.equal(textFor("{{ messages | map: 'subject' | join: ', ' }}", mails), "One, Two");
  assert.equal(
    textFor("{{ messages | where: 'subject', 'Two' | map: 'from' | first }}", mails),
    "bob@example.org",
  );
  assert.equal(textFor("{{ missing | default: 'none' }} {{ title | truncate: 4, '…' }}", mails), "none Hel…");
  assert.equal(textFor("{{ 'a b&c' | url_encode }} {{ 'a%20b' | url_decode }}", mails), "a+b%26c a b");
  assert.equal(textFor("{{ '2026-03-04T00:00:00Z' | date: '%A', 'UTC' }}", mails), "Wednesday");
});

test("a template without tags is its own text, and an empty one has no part", () => {
  assert.deepEqual(messageFor("} plain { %} }}", {}), ["} plain { %} }}"]);
  assert.deepEqual(messageFor("", {}), []);
  assert.equal(textFor("", {}), "");
});

test("a template keeps nothing between renderings and does not change the payload", () => {
  const template = compiled("{{ seen }}{% assign seen = title %}{{ seen }}");
  const payload = Object.freeze({ title: "x" });
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(template.renderMessage(scopeOf(request(payload))), [outside("seen", "x")]);
  }
});
