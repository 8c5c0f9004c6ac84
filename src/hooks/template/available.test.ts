// The tags and filters that a template can use, compared with LiquidJS's own lists.
import assert from "node:assert/strict";
import test from "node:test";
import { filters, tags } from "liquidjs";
import { availableFilters, availableTags } from "./available.ts";
import { compiled, problemIn } from "../../../test/fixtures/template.ts";

test("every available tag and filter is one of LiquidJS's", () => {
  assert.deepEqual(
    availableTags.filter((name) => !(name in tags)),
    [],
  );
  assert.deepEqual(
    availableFilters.filter((name) => !(name in filters)),
    [],
  );
  assert.equal(new Set(availableFilters).size, availableFilters.length);
});

test("no other tag of LiquidJS is parsed, in any position and with any arguments", () => {
  const others = Object.keys(tags).filter((name) => !availableTags.includes(name));
  assert.deepEqual(
    others.toSorted().join(" "),
    "block cycle decrement echo include increment layout liquid render tablerow",
  );
  for (const name of [...others, "script", "constructor", "__proto__", "toString"]) {
    const message = `tag "${name}" is not available in templates; available are: ${availableTags.join(", ")}`;
    for (const tag of [
      `{% ${name} %}`,
      `{%- ${name} title -%}`,
      `{% ${name} 'a', b: title %}{% end${name} %}`,
    ]) {
      for (const [before, after] of [
        ["", ""],
        ["{% if true %}", "{% endif %}"],
        ["{% if true %}{% else %}", "{% endif %}"],
        ["{% for a in b %}", "{% endfor %}"],
        ["{% capture a %}", "{% endcapture %}"],
        ["{% case a %}{% when 1 %}", "{% endcase %}"],
        ["{% unless a %}", "{% endunless %}"],
      ]) {
        assert.deepEqual(problemIn(`${before}${tag}${after}`), { message, at: `1:${before!.length + 1}` });
      }
    }
  }
});

test("no other filter can be used, in an output or in a tag", () => {
  const others = Object.keys(filters).filter((name) => !availableFilters.includes(name));
  assert.deepEqual(
    others.toSorted().join(" "),
    "find_exp find_index_exp group_by_exp has_exp raw reject_exp sample where_exp",
  );
  for (const name of [...others, "nope", "constructor", "__proto__"]) {
    const near = /^(find|group_by|reject|where)_exp$/.exec(name)?.[1];
    const hint = near ? `; did you mean ${near}?` : "";
    const message = `filter "${name}" is not available in templates${hint}`;
    for (const before of [
      "{{ a | ",
      "{{ a | upcase | ",
      "{% assign b = a | ",
      "{% if a | ",
      "{% if a %}{% elsif a | ",
    ]) {
      const after = before.startsWith("{{") ? " }}" : " %}{% endif %}";
      assert.deepEqual(problemIn(`${before}${name}: 'x'${after}`), { message, at: `1:${before.length + 1}` });
    }
  }
});

test("every available filter can be used", () => {
  for (const name of availableFilters) compiled(`{{ a | ${name}: 'x' }}`);
});
