// The messages about a template that cannot be parsed, and about one that cannot be rendered.
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { compile, faultFrom, problemIn, request } from "../../../test/fixtures/template.ts";
import { scopeOf } from "./scope.ts";

test("a problem says what is wrong, with line and column", () => {
  const cases: Record<string, [string, string]> = {
    "{{ a": ["1:1", 'output "{{ a" is not closed: end it with }}'],
    "a\n  {% if b": ["2:3", 'tag "{% if b" is not closed: end it with %}'],
    "x\r\n\n {% if a %}y": ["3:2", "tag {% if a %} is not closed: end it with {% endif %}"],
    "{% endif %}": ["1:1", 'tag "endif" does not belong to an open tag'],
    "{% if a %}{% when 1 %}{% endif %}": ["1:11", 'tag "when" does not belong to an open tag'],
    "{{ }}": ["1:4", "a value is missing"],
    "{% %}": ["1:4", "expected the name of a tag"],
    "é😀{{ first last }}": ["1:7", '"first last" is not one value or comparison'],
    "{% if a == %}{% endif %}": ["1:7", '"a ==" is not one value or comparison'],
    "{% if a = b %}{% endif %}": ["1:10", 'expected an operator such as ==, or a filter with "|" before it'],
    "{{ a, b }}": ["1:5", 'unexpected ", b"'],
    "{% for a of b %}{% endfor %}": ["1:1", "expected for NAME in LIST, found {% for a of b %}"],
    "{% for a in b | reverse %}{% endfor %}": ["1:15", 'unexpected "| reverse"'],
    "{% for i in (a..3) %}{% endfor %}": [
      "1:13",
      "a range must start with a number that is written out, as in (1..5)",
    ],
    "{% if (a or b) and c %}{% endif %}": ["1:10", "parentheses are for ranges only, as in (1..5)"],
    "\n\n{{ a | upcase | shout }}": ["3:17", 'filter "shout" is not available in templates'],
  };
  for (const [source, [at, message]] of Object.entries(cases))
    assert.deepEqual(problemIn(source), { at, message });
});

test("tags that are nested too deeply are a problem, not a crash", () => {
  assert.equal(problemIn("{% if a %}".repeat(15_000)).message, "the template is nested too deeply");
  assert.equal(problemIn(`{{ ${"a[".repeat(90_000)} }}`).message, "the template is nested too deeply");
});

test("any sequence of fragments is parsed or has a problem with a location, in plain words", () => {
  const signs = `{{ }} {% %} {%- -%} | : , ' " ( ) .. [ ] . == - = \\ # 1 é`;
  const words =
    "if endif else for in endfor capture endcapture case when raw endraw assign comment endcomment";
  const others = "a now upcase date not and nil";
  const fragment = fc.constantFrom(" ", "\n", ...`${signs} ${words} ${others}`.split(" "));
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
      const source = fragments.join("");
      const result = compile(source);
      if (result.ok) return void result.template.renderMessage(scopeOf(request({ a: [{ a: "x" }] })));
      const line = source.split("\n")[result.line - 1];
      assert.ok(line !== undefined && result.column >= 1 && result.column <= line.length + 1);
      assert.doesNotMatch(result.message, /undefined|line:|\bfile\b|Cannot|function/);
    }),
    cases(2_000),
  );
});

test("a fault names the location and nothing of the payload", () => {
  const secret = "%zz-secret";
  const payload = { secret, list: [1], twisted: { toString: secret, valueOf: secret } };
  for (const expression of [
    "secret | url_decode",
    "secret | base64_decode",
    "1 | date: '%Y', secret",
    "twisted | plus: 1",
    "twisted | upcase",
    "list | where: '(1..2)'",
    "list | where: secret_path",
    "list[twisted]",
    "[twisted]",
  ]) {
    const scope = scopeOf(request({ ...payload, secret_path: "a[secret" }));
    const { message } = faultFrom(`\n {{ ${expression} }}`, scope);
    assert.doesNotMatch(message, /secret/, expression);
    assert.match(
      message,
      /^The template could not be rendered( at line 2, column \d)?: a [^:]+\.$/,
      expression,
    );
  }
});
