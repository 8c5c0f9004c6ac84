// Any text as a template is parsed or has a problem with a location; with any payload it is rendered within its limits
// or throws a TemplateFault.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { plainText } from "../../core/message.ts";
import { availableFilters } from "./available.ts";
import { requestLimits } from "./budget.ts";
import { compile, request } from "../../../test/fixtures/template.ts";
import { scopeOf } from "./scope.ts";
import { TemplateFault } from "./template.ts";

const names = fc.constantFrom(
  "a",
  "b",
  "list",
  "payload",
  "headers",
  "now",
  "forloop",
  "__proto__",
  "constructor",
  "size",
);
const literals = fc.constantFrom(
  "'x'",
  "1",
  "-1",
  "1e9",
  "nil",
  "true",
  "a.b[0]",
  "list[b]",
  "(1..3)",
  "'%Y'",
  "''",
  "9".repeat(30),
);
const filter = fc.tuple(
  fc.constantFrom(...availableFilters),
  fc.array(fc.oneof(names, literals), { maxLength: 3 }),
);
const expression = fc
  .tuple(fc.oneof(names, literals), fc.array(filter, { maxLength: 3 }))
  .map(
    ([value, filters]) =>
      value +
      filters.map(([name, given]) => ` | ${name}${given.length > 0 ? ": " : ""}${given.join(", ")}`).join(""),
  );
const piece = fc.oneof(
  { weight: 5, arbitrary: expression.map((text) => `{{ ${text} }}`) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
  expression.map((text) => `{% assign a = ${text} %}`),
  expression.map((text) => `{% if ${text} %}y{% endif %}`),
  names.map((name) => `{% for i in ${name} %}{{ i }}{{ forloop.index }}{% endfor %}`),
  expression.map((text) => `{% case ${text} %}{% when 1, 'x' %}w{% endcase %}`),
  fc.constantFrom(
    "{% capture c %}{{ a }}{% endcapture %}{{ c }}",
    "{% raw %}{{ a{% endraw %}",
    "{%- # note -%}",
    "{% endif %}",
    "{{",
  ),
);
const key = fc.constantFrom(
  "a",
  "b",
  "list",
  "size",
  "toString",
  "valueOf",
  "toJSON",
  "__proto__",
  "then",
  "length",
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, "", "x", "%zz", "a,b", "\ud800", "2026-01-01"),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

test("any template is parsed or has a problem with a location, and renders any payload within its limits", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), value, (pieces, payload) => {
      const source = pieces.join("");
      const result = compile(source);
      if (!result.ok) {
        const line = source.split("\n")[result.line - 1];
        assert.ok(line !== undefined && result.column >= 1 && result.column <= line.length + 1);
        return assert.notEqual(result.message, "");
      }
      const before = JSON.stringify(payload);
      try {
        const text = plainText(result.template.renderMessage(scopeOf(request(payload))));
        assert.ok(text.length <= 2 * requestLimits(0).characters);
      } catch (fault) {
        assert.ok(fault instanceof TemplateFault, `${source}\n${before}\n${String(fault)}`);
      }
      assert.equal(JSON.stringify(payload), before, "a template changed the payload");
    }),
    cases(2000),
  );
});
