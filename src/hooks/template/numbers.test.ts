// Numbers in templates: they keep their sender's digits, and are compared and reckoned with as usual.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseExactJson } from "../../core/exact-json.ts";
import { messageFor, textFor } from "../../../test/fixtures/template.ts";

const payload = () =>
  parseExactJson(`{
    "id": 12345678901234567891, "near": 12345678901234567892, "big": 1e400, "large": 1e399, "one": 1.0, "zero": -0, "many": 1E5,
    "at": 1700000000.0, "index": 1.0, "list": [1.0, 1.0, 2, 12345678901234567891],
    "items": [{ "id": 12345678901234567891, "n": "a" }, { "id": 12345678901234567892, "n": "b" }, { "id": 2.0, "n": "c" }]
  }`);

const cases: Record<string, string> = {
  "{{ id }}": "12345678901234567891",
  "{{ big }} {{ one }} {{ zero }} {{ many }}": "1e400 1.0 -0 1E5",
  "{{ payload.items[0] }}": '{"id":12345678901234567891,"n":"a"}',
  "{{ items | json }}":
    '[{"id":12345678901234567891,"n":"a"},{"id":12345678901234567892,"n":"b"},{"id":2.0,"n":"c"}]',
  "{{ id | append: '-x' }}": "12345678901234567891-x",
  "{{ items | map: 'id' | join: ' ' }}": "12345678901234567891 12345678901234567892 2.0",
  "{% assign a = id %}{{ a }}": "12345678901234567891",
  "{% capture a %}{{ id }}{% endcapture %}{{ a }}": "12345678901234567891",
  "{% for each in list %}{{ each }} {% endfor %}": "1.0 1.0 2 12345678901234567891 ",
  "{{ list | uniq | join: ' ' }}": "1.0 2 12345678901234567891",
  "{% if id == near %}same{% else %}other{% endif %}": "other",
  "{% if id == 12345678901234567891 %}same{% else %}other{% endif %}": "same",
  "{% if near == 12345678901234567891 %}same{% else %}other{% endif %}": "other",
  "{% if one == 1 %}one{% endif %}{% if 1 == one %} one{% endif %}": "one one",
  "{% if one > 0 and one < 2 and one >= 1 and one <= 1 %}between{% endif %}": "between",
  "{% if near > id and id < near and near >= id and id <= near %}after{% endif %}{% if id > near or id >= near %}wrong{% endif %}":
    "after",
  "{% if id >= 12345678901234567890 and id > 12345678901234567890 and 12345678901234567890 < id %}above{% endif %}":
    "above",
  "{% if big > large and large < big and big >= 1 %}huge{% endif %}{% if big <= large %}wrong{% endif %}":
    "huge",
  "{% if id > 'x' or id <= 'x' %}wrong{% endif %}{% if one > zero %}one{% endif %}": "one",
  "{% case one %}{% when 1 %}one{% else %}other{% endcase %}": "one",
  "{{ items | where: 'id', 2 | map: 'n' | join }}": "c",
  "{{ items | where: 'id', 12345678901234567892 | map: 'n' | join }}": "b",
  "{{ items | group_by: 'id' | size }}": "3",
  "{{ one | plus: 1 }} {{ many | divided_by: 2 }} {{ one | minus: one }}": "2 50000 0",
  "{{ list[index] }}": "1.0",
  "{{ at | date: '%Y' }}": "2023",
  "{% if id %}there{% endif %}": "there",
  "{{ id.size }}{{ id.length }}{{ id.toString }}{{ id.equals }}": "",
  "{{ id | default: 'none' }}": "12345678901234567891",
};

describe("a number in a template", () => {
  for (const [source, expected] of Object.entries(cases))
    test(source, () => assert.equal(textFor(source, payload()), expected));
});

test("a number stands in the operator's text, unless it is too long to be one", () => {
  assert.deepEqual(messageFor("id {{ id }}", payload()), ["id 12345678901234567891"]);
  const long = "1".repeat(300);
  assert.deepEqual(messageFor("{{ n }}", parseExactJson(`{"n":${long}}`)), [
    { label: "n", source: "request", text: long },
  ]);
});
