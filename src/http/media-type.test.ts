import assert from "node:assert/strict";
import { test } from "node:test";
import { readMediaType, readParameters } from "./media-type.ts";

const bodyOf = (written: string | undefined): string | null => readMediaType(written)?.body ?? null;

test("which kind of body a Content-Type announces", () => {
  const cases: Record<string, (string | undefined)[]> = {
    json: [
      undefined,
      "",
      "application/json",
      " Application/JSON ; charset=latin1",
      "text/plain",
      "text/plain;x",
      "application/vnd.api+json",
    ],
    form: [
      "application/x-www-form-urlencoded",
      "application/x-www-form-urlencoded; charset=UTF-8",
      'APPLICATION/X-WWW-FORM-URLENCODED;charset="us-ascii"; other=1',
    ],
    multipart: ["multipart/form-data; boundary=x", 'multipart/form-data; charset=utf-8; boundary="a b"'],
    xml: ["application/xml", "text/xml; charset=utf-8", "application/rss+xml", "text/xml;"],
  };
  for (const [body, types] of Object.entries(cases))
    for (const type of types) assert.equal(bodyOf(type), body, type);
});

test("other types, other charsets and unreadable parameters are not taken", () => {
  for (const type of [
    "text/html",
    "application/jsonx",
    "application/+json",
    "multipart/mixed; boundary=x",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="ends with a blank "',
    `multipart/form-data; boundary=${"x".repeat(71)}`,
    "multipart/form-data; boundary=a; boundary=b",
    'multipart/form-data; boundary="open',
    "application/xml; charset=iso-8859-1",
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/xml; =x",
    "application/json, text/html",
  ])
    assert.equal(readMediaType(type), null, type);
});

test("the boundary of a multipart body", () => {
  assert.equal(readMediaType("multipart/form-data; Boundary=aBc")?.boundary, "aBc");
  assert.equal(readMediaType('multipart/form-data;boundary="a:b c"; x=1')?.boundary, "a:b c");
});

test("parameters: quoted ones lose their quotes and escapes", () => {
  const read = readParameters('; name="a \\"b\\" \\\\ ; c"; FileName=d; e=""');
  assert.deepEqual(
    [...(read ?? [])],
    [
      ["name", 'a "b" \\ ; c'],
      ["filename", "d"],
      ["e", ""],
    ],
  );
  assert.equal(readParameters("; a=b c"), null);
});
