// A template that would never end, or would fill the memory, is a fault after a bounded time.
import assert from "node:assert/strict";
import test from "node:test";
import { compiled, faultFrom, problemIn, request } from "../../../test/fixtures/template.ts";
import { assertLinear } from "../../../test/support/growth.ts";
import { type Message, plainText } from "../../core/message.ts";
import { scopeOf } from "./scope.ts";

const list = Array.from({ length: 20_000 }, (_, id) => ({ id, body: "b" }));
const deep: unknown = JSON.parse(`${"[".repeat(400)}${"1,".repeat(60_000)}1${"]".repeat(400)}`);
const long = "y".repeat(100_000);
const huge = 2 ** 53;
const scope = scopeOf(request({ list, deep, long, few: [long], huge, beyond: huge + 4, n: 1e9 }));

test("a template that takes too long is a fault", () => {
  for (const inner of ["", "{{ b.id }}", "{% assign c = b.id %}", "{% if list contains b %}{% endif %}"]) {
    const fault = faultFrom(`{% for a in list %}{% for b in list %}${inner}{% endfor %}{% endfor %}`, scope);
    assert.match(
      fault.message,
      /: it took longer than the 1000 ms of processor time that the templates of a request may use together\.$/,
    );
  }
});

test("a template that needs too much memory is a fault", () => {
  for (const source of [
    "{% for a in list %}{{ long }}{% endfor %}",
    "{% for a in list %}{% capture b %}{{ b }}{{ long }}{% endcapture %}{% endfor %}",
    "{% for a in list %}{{ few }}{% endfor %}",
    "{% assign b = 'bb' %}{% for a in list %}{% assign b = b | append: b %}{% endfor %}",
    "{% assign b = list %}{% for a in list %}{% assign b = b | concat: b %}{% endfor %}",
    "{% assign b = few %}{% for i in (1..40) %}{% assign b = b | group_by: 'c' | concat: b %}{% endfor %}{{ b }}",
    "{% for i in (1..n) %}{% endfor %}",
    "{{ now | date: '%999999999d' }}",
    "{{ deep | json: 2 }}",
    "{% assign b = deep | json: 2 %}",
    `{% for a in list %}${"x".repeat(1_000)}{% endfor %}`,
    `{% for a in list %}{% raw %}${"x".repeat(1_000)}{% endraw %}{% endfor %}`,
  ]) {
    const fault = faultFrom(source, scope);
    assert.match(
      fault.message,
      /: it needs more than the 4,000,000 characters that the templates of a request may use together\.$/,
      source,
    );
  }
});

test("a large payload within the limits is rendered whole", () => {
  assert.equal(compiled("{{ deep }}").renderText(scope), JSON.stringify(deep));
  const joined = compiled("{{ list | map: 'body' | join: '' }}").renderText(scope);
  assert.equal(joined.length, list.length);
});

test("a message has at most 1,000 values from outside, and says so when more were left out", () => {
  const render = (source: string, count: number) =>
    compiled(source).renderMessage(scopeOf(request({ list: list.slice(0, count) })));
  const loop = "List:{% for a in list %}\n- {{ a.body }}{% endfor %}\nThe end {{ list[0].body }}.";
  const texts = (message: Message) => message.filter((part) => typeof part !== "string").length;
  const full = render(loop, 999);
  assert.equal(texts(full), 1000);
  assert.doesNotMatch(plainText(full), /left out/);
  const cut = render(loop, 20_000);
  assert.equal(texts(cut), 1000);
  const text = plainText(cut);
  assert.ok(text.length < 6_000, "the words of the loop end with it");
  assert.match(
    text,
    /\nThe end \[left out\]\.\n\n\(Only the first 1000 values from outside are here\. The rest was left out\.\)$/,
  );
  assert.equal(
    texts(
      render(
        "{{ list[0].body }}{% capture c %}{% for a in list %}{{ a.body }}{% endfor %}{% endcapture %}{{ c }}",
        20_000,
      ),
    ),
    2,
  );
});

test("a range from the payload that would never end is a fault", () => {
  problemIn("{% for i in (huge..beyond) %}{% endfor %}");
  problemIn("{% for i in (9007199254740992..9007199254740996) %}{% endfor %}");
  problemIn("{% assign a = (huge..beyond) | size %}");
  problemIn("{{ list[(huge..beyond)] }}");
  problemIn("{% case a %}{% when (huge..beyond) %}{% endcase %}");
  faultFrom("{{ list | where: '[(9007199254740992..9007199254740996)]' }}", scope);
  faultFrom("{{ list | find: p }}", scopeOf(request({ list, p: "a[(9007199254740992..9007199254740996)]" })));
});

test("the length of a template is limited", () => {
  compiled("x".repeat(200_000));
  assert.deepEqual(problemIn("x".repeat(200_001)), {
    message: "a template may have 200000 characters, this one has 200001",
    at: "1:1",
  });
  problemIn("{{ a }}".repeat(28_600));
});

test("many small tags are read in time that grows with their number", () => {
  assertLinear("outputs", 8_000, (size) => compiled("{{a}} ".repeat(size)));
  assertLinear("conditions", 2_250, (size) => compiled("{% if a %}{% endif %}".repeat(size)));
});
