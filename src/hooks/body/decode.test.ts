import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefusal } from "../../core/errors.ts";
import { ExactNumber } from "../../core/exact-number.ts";
import { decodeBody, mappedBody, type TakenBody } from "./decode.ts";

const form = "application/x-www-form-urlencoded";
const decode = (body: string | Buffer, type: string | undefined, taken: TakenBody = mappedBody) =>
  decodeBody(Buffer.from(body as string), type, taken);
const valueOf = (...of: Parameters<typeof decode>): unknown => {
  const decoded = decode(...of);
  assert.ok("value" in decoded, JSON.stringify(decoded));
  return decoded.value;
};
const faultOf = (...of: Parameters<typeof decode>): string => {
  const refused = decode(...of);
  assert.ok(isRefusal(refused));
  return (
    refused.details?.map(({ path, message }) => `${refused.refused}: ${path} ${message}`).join() ??
    refused.refused
  );
};

test("JSON keeps its digits and its bytes", () => {
  const decoded = decode('{"id":12345678901234567891}', undefined);
  assert.ok("value" in decoded);
  assert.ok((decoded.value as { id: unknown }).id instanceof ExactNumber);
  assert.equal(decoded.json?.toString(), '{"id":12345678901234567891}');
  assert.equal(faultOf("{", "text/plain"), "invalid-json");
  assert.equal(faultOf("", "application/json"), "invalid-json");
});

test("only the types that a hook takes", () => {
  const json: TakenBody = { types: ["json"] };
  for (const type of [form, "application/xml", "multipart/form-data; boundary=x", "text/html"])
    assert.equal(faultOf("a=1", type, json), "unsupported-media-type");
  assert.deepEqual(valueOf("1", "application/json", json), 1);
});

test("a form: fields in order, repeated names as lists, numbers as text", () => {
  const decoded = decode("b=1&a=x+y&b=%C3%A4&empty=&bare&b=&%5Ba%5D[b]=z", form);
  assert.deepEqual(decoded, {
    value: { b: ["1", "ä", ""], a: "x y", empty: "", bare: "", "[a][b]": "z" },
  });
  assert.deepEqual(valueOf("", form), {});
  assert.deepEqual(valueOf("?a=1&&=2", form), { "?a": "1", "": "2" });
  assert.deepEqual(valueOf("a=100%&b=%zz&c=%4", form), { a: "100%", b: "%zz", c: "%4" });
});

test("names of setters are names of fields", () => {
  const value = valueOf("__proto__=1&__proto__=2&constructor=3", form) as object;
  assert.deepEqual(Object.entries(value), [
    ["__proto__", ["1", "2"]],
    ["constructor", "3"],
  ]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test("a form that is not UTF-8, as it is or escaped", () => {
  for (const body of ["a=%E4", "a=%C3x", Buffer.from("a=\xe4", "latin1"), "a=%ED%A0%80"])
    assert.equal(faultOf(body, form), "invalid-body: body is not in UTF-8");
});

test("a form has a most number of fields", () => {
  assert.equal(
    Object.keys(valueOf(Array.from({ length: 10_000 }, (_, at) => `f${at}=1`).join("&"), form) as object)
      .length,
    10_000,
  );
  assert.equal(faultOf("a&".repeat(10_000), form), "invalid-body: body has more than 10,000 fields");
});

test("one field that holds JSON is the payload where the sender says so", () => {
  const taken: TakenBody = { types: ["form", "json"], formField: "payload" };
  const decoded = decode(`payload=${encodeURIComponent('{"id":1.0}')}&x=1`, form, taken);
  assert.ok("value" in decoded);
  assert.equal(JSON.stringify(decoded.value), '{"id":1.0}');
  assert.equal(decoded.json?.toString(), '{"id":1.0}');
  assert.equal(faultOf("payload=%7B", form, taken), "invalid-json");
  assert.deepEqual(valueOf("x=1", form, taken), { x: "1" });
  assert.deepEqual(valueOf("payload=1&payload=2", form, taken), { payload: ["1", "2"] });
  assert.deepEqual(valueOf("payload=%7B%7D", form), { payload: "{}" });
});
