// No character of a payload ever reaches the operator's text.
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { plainText } from "../../core/message.ts";
import { compiled, request } from "../../../test/fixtures/template.ts";
import { scopeOf } from "./scope.ts";

// The operator writes small letters, digits and signs; payloads consist of capitals and braces.
const operatorText = fc.string({ unit: fc.constantFrom(...Array.from("abcxyz .,\n-:")), maxLength: 10 });
const payloadText = fc.string({
  unit: fc.constantFrom(...Array.from("ABCXYZ{}%|<>\"'\\É漢😀")),
  maxLength: 12,
});
const payloads = fc.record({
  title: payloadText,
  words: fc.array(payloadText, { maxLength: 4 }),
  object: fc.dictionary(payloadText, fc.oneof(payloadText, fc.array(payloadText)), { maxKeys: 4 }),
  count: fc.integer(),
  now: payloadText,
});

const expressions = [
  "title",
  "words",
  "words[0]",
  "words.last",
  "object",
  "payload",
  "now",
  "count",
  "path",
  "headers.event",
  "title | append: count",
  "words | join: ', '",
  "title | split: '' | first",
  "title | default: 'none'",
  "title | json",
  "object | json: 2",
  "title | slice: 0, 2",
  "words | size",
  "title == 'A'",
  "held",
  "kept",
  "title | date: '%Y'",
  "now | date: '%Y'",
  "now | date: title",
  "now | append: title",
  "title | escape",
  "words | sort | uniq | reverse",
  "count | plus: title",
  "title | truncate: 3, words[0]",
  "item",
  "item[0]",
];
const output = fc.constantFrom(...expressions).map((expression) => `{{ ${expression} }}`);
// One output only: a capture in a loop that outputs itself twice doubles each time.
const captured = fc.tuple(operatorText, output, operatorText).map((pieces) => pieces.join(""));
const { piece } = fc.letrec<{ piece: string }>((tie) => {
  const inner = fc.array(tie("piece"), { maxLength: 3 }).map((pieces) => pieces.join(""));
  return {
    piece: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      output,
      operatorText,
      fc.constantFrom("{% assign held = title %}", "{% assign now = title %}", "{% assign item = words %}"),
      inner.map((text) => `{% for item in words %}${text}{% endfor %}`),
      inner.map((text) => `{% for now in object %}${text}{% endfor %}`),
      inner.map((text) => `{% if title contains 'A' %}${text}{% else %}${text}b{% endif %}`),
      captured.map((text) => `{% capture kept %}${text}{% endcapture %}`),
      captured.map((text) => `{% capture now %}${text}{% endcapture %}`),
    ),
  };
});

test("the operator's text holds nothing of the payload, and the parts make up the whole text", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), payloads, payloadText, (pieces, payload, event) => {
      const template = compiled(pieces.join(""));
      const scope = scopeOf(
        request(payload, { path: event, headers: { event }, now: "2026-01-02t03:04:05z" }),
      );
      const message = template.renderMessage(scope);
      assert.equal(plainText(message), template.renderText(scope));
      message.forEach((part, index) => {
        assert.notEqual(typeof part === "string" ? part : part.text, "");
        if (typeof part !== "string") return;
        assert.match(part, /^[a-z0-9 .,\n:+-]+$/);
        assert.notEqual(typeof message[index - 1], "string");
      });
    }),
    cases(1_000),
  );
});

test("a string that is output alone is unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      const parts = compiled("a{{ text }}b").renderMessage(scopeOf(request({ text })));
      assert.deepEqual(parts, ["a", { label: "text", source: "request", text }, "b"]);
    }),
    cases(100),
  );
});

test("any JSON that is output alone is that JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = compiled("{{ payload.value }}").renderText(scopeOf(request({ value })));
      if (typeof value === "object" && value !== null) assert.equal(text, JSON.stringify(value));
      else assert.equal(text, value === null ? "" : String(value));
    }),
    cases(100),
  );
});
