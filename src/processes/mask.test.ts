import assert from "node:assert/strict";
import { test } from "node:test";
import { createMask } from "./mask.ts";

const key = "sk-secret-0123456789";

test("the name of a variable stands in place of its value, everywhere", () => {
  const mask = createMask({ KEY: key, ADDRESS: "https://models.test/v1" });
  assert.equal(
    mask(`${key}: not accepted by https://models.test/v1 (${key})`),
    "${KEY}: not accepted by ${ADDRESS} (${KEY})",
  );
  assert.equal(mask("nothing of it"), "nothing of it");
});

test("a value with the other inside is hidden whole", () => {
  const mask = createMask({ SHORT: "abcdefgh", LONG: "abcdefgh-and-more" });
  assert.equal(mask("abcdefgh-and-more, abcdefgh"), "${LONG}, ${SHORT}");
});

test("short values are words: they stay", () => {
  assert.equal(createMask({ MODE: "yes", NOTHING: "" })("yes, as always"), "yes, as always");
});

test("a value that the text was cut in is hidden, too", () => {
  const mask = createMask({ KEY: key });
  for (let length = 8; length < key.length; length++) {
    assert.equal(mask(`${key.slice(-length)} is wrong`), "${KEY} is wrong", `the last ${length}`);
    assert.equal(mask(`wrong: ${key.slice(0, length)}`), "wrong: ${KEY}", `the first ${length}`);
    assert.equal(mask(`wrong: ${key.slice(0, length)}… (again)`), "wrong: ${KEY}… (again)");
  }
});

test("each line of a value of several lines is hidden", () => {
  const mask = createMask({ PEM: "first-line-of-it\nsecond-line-of-it\n" });
  assert.equal(mask("bad: second-line-of-it first-line-of-it"), "bad: ${PEM} ${PEM}");
});

test("what looks like a pattern is taken literally", () => {
  assert.equal(createMask({ KEY: "$&.*[a](b)" })("x $&.*[a](b) y"), "x ${KEY} y");
});
