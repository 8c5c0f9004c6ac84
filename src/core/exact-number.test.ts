import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { assertLinear } from "../../test/support/growth.ts";
import { parseExactJson } from "./exact-json.ts";
import { ExactNumber, isBeyondNumbers, isKept, withUsualNumbers } from "./exact-number.ts";

const changed = [
  "9007199254740993",
  "12345678901234567891",
  "-12345678901234567891",
  "1e400",
  "-1e400",
  "1.0",
  "-0",
  "-0.0",
  "1E5",
  "1e5",
  "0.0000001",
  "0.10",
  "100.00",
  "3.141592653589793238462643",
  "123456789.123456789",
  "1e1000000000000000000000",
];
const kept = ["0", "1", "-1", "1e-7", "1.5", "0.1", "-0.25", "9007199254740991", "123456.789", "1.0000001"];

describe("numbers keep their sender's digits", () => {
  for (const written of [...changed, ...kept])
    test(written, () => {
      for (const around of [written, `[${written}]`, `{"a":${written}}`, `[0,${written},{"b":[${written}]}]`])
        assert.equal(JSON.stringify(parseExactJson(around)), around);
      assert.equal(parseExactJson(written) instanceof ExactNumber, changed.includes(written));
      assert.equal(String(parseExactJson(` ${written}\n`)), written);
      assert.equal(Number(parseExactJson(written)), Number(written));
    });

  const digits = fc.string({
    unit: fc.constantFrom(...Array.from("0123456789")),
    minLength: 1,
    maxLength: 25,
  });
  const number = fc
    .tuple(
      fc.constantFrom("", "-"),
      digits,
      fc.option(digits),
      fc.option(fc.integer({ min: -500, max: 500 })),
    )
    .map(([sign, whole, fraction, exponent]) => {
      const end = exponent === null ? "" : `e${exponent}`;
      return `${sign}${whole.replace(/^0+(?=\d)/, "")}${fraction === null ? "" : `.${fraction}`}${end}`;
    });
  test("any number, anywhere in a payload", () => {
    const list = fc.array(
      fc.oneof(
        number,
        fc.string().map((text) => JSON.stringify(text)),
      ),
    );
    fc.assert(
      fc.property(list, (values) => {
        const text = `{"list":[${values.join(",")}]}`;
        assert.equal(JSON.stringify(parseExactJson(text)), text);
      }),
      cases(300),
    );
  });
});

test("without such numbers it is what JSON.parse gives", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const seen = JSON.stringify(parseExactJson(text));
      assert.equal(JSON.stringify(JSON.parse(seen)), JSON.stringify(JSON.parse(text)));
    }),
    cases(200),
  );
  for (const broken of ["[1.0,", "{1.0:2}", "[01.0]", "[1.0.0]", "[-]", '["a" 1.0]'])
    assert.throws(() => parseExactJson(broken), SyntaxError, broken);
});

test("equal is what has the same value, however it is written", () => {
  const same = (left: string, right: string) => new ExactNumber(left).equals(new ExactNumber(right));
  for (const [left, right] of [
    ["1.0", "1"],
    ["1E5", "100000"],
    ["100.00", "1e2"],
    ["-0", "0"],
    ["0.0000001", "1e-7"],
  ] as const)
    assert.ok(same(left, right), `${left} ${right}`);
  assert.ok(!same("9007199254740993", "9007199254740992"));
  assert.ok(!same("1e400", "1e401"));
  assert.ok(!same("-1", "1"));
  assert.ok(new ExactNumber("2.0").equals(2));
  assert.ok(!new ExactNumber("2.0").equals("2"));
  assert.ok(!new ExactNumber("9007199254740993").equals(9007199254740992));
});

test("for a transform they are usual numbers, and text where no number holds them", () => {
  const payload = parseExactJson(
    '{"id":12345678901234567891,"big":1e400,"list":[1.0,-0,1E5,[0.10]],"n":1,"__proto__":1.0}',
  );
  assert.equal(
    JSON.stringify(withUsualNumbers(payload)),
    '{"id":"12345678901234567891","big":"1e400","list":[1,0,100000,[0.1]],"n":1,"__proto__":1}',
  );
  assert.ok(isBeyondNumbers(new ExactNumber("9007199254740992")));
  assert.ok(!isBeyondNumbers(new ExactNumber("1.00")));
  assert.ok(isKept("1.5") && !isKept("1.50"));
});

test("long numbers are read and compared in linear time", () => {
  const read = (text: string) => (parseExactJson(text) as ExactNumber).equals(new ExactNumber("1.0"));
  assertLinear("digits", 50_000, (size) => read("1".repeat(size)));
  assertLinear("zeros", 50_000, (size) => read(`1.${"0".repeat(size)}`));
  assertLinear("zeros and ones", 25_000, (size) => read(`1.${"01".repeat(size)}`));
  assertLinear("an exponent", 50_000, (size) => read(`1e${"1".repeat(size)}`));
  assertLinear("many", 10_000, (size) => JSON.stringify(parseExactJson(`[${"1.0,".repeat(size)}1]`)));
  assertLinear("quotes", 25_000, (size) => parseExactJson(`[1.0,${JSON.stringify('"'.repeat(size))}]`));
  assertLinear("backslashes", 50_000, (size) => parseExactJson(`[1.0,${JSON.stringify("\\".repeat(size))}]`));
  assertLinear("in a text", 50_000, (size) => parseExactJson(JSON.stringify(` ${"1".repeat(size)}.`)));
});
