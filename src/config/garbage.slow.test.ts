// A file of something else is refused in time that grows with its length, with a list that a person can read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "../../test/support/growth.ts";
import { parse } from "../../test/fixtures/config.ts";

type Write = (count: number) => string;
const repeat =
  (piece: string, before = "", after = ""): Write =>
  (count) =>
    before + piece.repeat(count) + after;
const keys =
  (value: string, before: string, after: string): Write =>
  (count) =>
    `${before}${Array.from({ length: count }, (_, at) => `"k${at}":${value}`).join()}${after}`;

const garbage: Readonly<Record<string, Write>> = {
  words: repeat("x "),
  lines: repeat("a\n"),
  quotes: repeat('"'),
  braces: repeat("{}"),
  commas: repeat(",x"),
  "opened comments": repeat("/*"),
  comments: repeat("//\n"),
  "unknown settings": keys("1", "{", "}"),
  "one setting many times": repeat('"hooks":{},', "{", "}"),
  "a list of something else": repeat("1,", '{"hooks":{"mappings":[', "]}}"),
  "a list of empty mappings": repeat("{},", '{"hooks":{"mappings":[', "]}}"),
  "agents of one name": repeat('{"id":"a"},', '{"agents":{"list":[', "]}}"),
  "prefixes that are numbers": repeat("1,", '{"hooks":{"allowedSessionKeyPrefixes":[', "]}}"),
  "files with missing names": repeat('{"file":"${X}"},', '{"hooks":{"token":[', "]}}"),
  "missing variables": repeat('"${X}",', '{"hooks":{"token":[', "]}}"),
  "models of one alias": keys('{"alias":"a"}', '{"agents":{"defaults":{"models":{', "}}}}"),
  "unknown channels": keys('{"kind":"x"}', '{"channels":{', "}}"),
  "servers without an address": keys('{"url":1}', '{"mcp":{"servers":{', "}}}"),
};

for (const [name, write] of Object.entries(garbage))
  test(`a file of ${name}`, () => {
    assertLinear(name, 1000, (count) => {
      const result = parse(write(count));
      assert.ok(result.ok || (result.problems.length > 0 && result.problems.length <= 101));
    });
  });
