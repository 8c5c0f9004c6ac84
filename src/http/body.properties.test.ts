// Any bytes: valid JSON in UTF-8 that is not too deep is parsed, everything else is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { isRefusal } from "../core/errors.ts";
import { parseJson } from "./body.ts";

const pieces = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "\\u",
  "d800",
  "1",
  "-",
  "e",
  ".",
  "true",
  " ",
  "\0",
);
const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.array(pieces, { maxLength: 20 }).map((each) => Buffer.from(each.join(""))),
  fc.tuple(fc.json(), fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
    const bytes = Buffer.from(text);
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
);

function reference(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

test("bytes are parsed as by a strict decoder and JSON.parse, or refused", () => {
  fc.assert(
    fc.property(hostile, (bytes) => {
      const parsed = parseJson(bytes);
      assert.deepEqual(isRefusal(parsed) ? undefined : parsed.value, reference(bytes));
      if (isRefusal(parsed)) assert.equal(parsed.refused, "invalid-json");
    }),
    cases(3000),
  );
});

test("any JSON comes through as it is, with and without a byte order mark", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), fc.boolean(), (text, marked) => {
      const parsed = parseJson(Buffer.from((marked ? "\ufeff" : "") + text));
      assert.deepEqual(parsed, { value: JSON.parse(text) as unknown });
    }),
    cases(300),
  );
});

test("500 levels of nesting are allowed, 501 are not", () => {
  const level = fc.constantFrom(["[", "]"], ['{"a":', "}"], ['[1,{"b":2,"a":', "}]"], ['["x",', ",0]"]);
  fc.assert(
    fc.property(fc.array(level, { minLength: 250, maxLength: 700 }), (levels) => {
      const depth = levels.reduce((sum, [open = ""]) => sum + (open.match(/[[{]/g)?.length ?? 0), 0);
      const text =
        levels.map(([open]) => open).join("") +
        "1" +
        levels
          .toReversed()
          .map(([, close]) => close)
          .join("");
      assert.equal(isRefusal(parseJson(Buffer.from(text))), depth > 500, String(depth));
    }),
    cases(300),
  );
});
