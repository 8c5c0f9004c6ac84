// Any headers: the token, the client address and the type of the body.
import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { headRefusal } from "./body.ts";
import { createClientAddress, parseAddress } from "./client-address.ts";
import { createGuard } from "./guard.ts";
import { listHeader, repeated, singleHeader } from "./headers.ts";

/** One character for each byte, as Node gives header values. */
const value = fc.oneof(
  fc
    .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 40 })
    .map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom("", " ", "Bearer", "Bearer ", "bearer right", "Bearer\tright ", "Bearer right x", "right"),
);
const name = fc.constantFrom(
  "Authorization",
  "AUTHORIZATION",
  "x-gateway-token",
  "X-Gateway-Token",
  "Host",
  "x",
  "",
);
const rawHeaders = fc.array(fc.tuple(name, value), { maxLength: 6 }).map((pairs) => pairs.flat());

const valuesOf = (headers: readonly string[], wanted: string): string[] =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === wanted);

test("a single header is found, repeated or absent; a list keeps its order", () => {
  fc.assert(
    fc.property(rawHeaders, (headers) => {
      const all = valuesOf(headers, "authorization");
      const expected = all.length > 1 ? repeated : all[0];
      assert.equal(singleHeader(headers, "authorization"), expected);
      const parts = all.filter((each, at) => each !== "" || at > 0);
      assert.ok(listHeader(headers, "authorization").length >= parts.join("").length);
    }),
    cases(1000),
  );
});

test("the guard accepts exactly the tokens it was given", () => {
  const guard = createGuard(["right", "other"]);
  const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, "");
  fc.assert(
    fc.property(rawHeaders, (headers) => {
      const own = valuesOf(headers, "x-gateway-token");
      const bearers = valuesOf(headers, "authorization");
      const bearer = trim(/^bearer[ \t](.*)$/is.exec(trim(bearers[0] ?? ""))?.[1] ?? "");
      const presented = bearer || trim(own[0] ?? "");
      const expected =
        own.length > 1 || bearers.length > 1
          ? "repeated"
          : ["right", "other"].includes(presented)
            ? "ok"
            : "wrong";
      assert.equal(guard.check(headers), expected);
    }),
    cases(3000),
  );
});

const addressPieces = fc.constantFrom(
  "1",
  "255",
  "256",
  ".",
  ":",
  "::",
  "ffff",
  "[",
  "]",
  "%",
  "/",
  " ",
  "1.2.3.4",
  "x",
);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.string({ unit: "binary" }),
  fc.array(addressPieces, { maxLength: 9 }).map((each) => each.join("")),
);

test("any text of a proxy is an address or none", () => {
  fc.assert(
    fc.property(address, (written) => {
      const found = parseAddress(written);
      if (found !== null) assert.notEqual(isIP(found), 0, written);
      if (isIP(written) !== 0) assert.notEqual(found, null, written);
    }),
    cases(3000),
  );
});

test("any request counts for an address, a network or `unknown`", () => {
  const clientAddress = createClientAddress(["10.0.0.0/8", "::1", "fd00::/8", "::ffff:192.0.2.0/120"]);
  const hops = fc.array(address, { maxLength: 5 }).map((each) => ["X-Forwarded-For", each.join(",")]);
  fc.assert(
    fc.property(fc.oneof(address, fc.constant("10.1.1.1")), hops, (peer, headers) => {
      const found = clientAddress(peer, headers);
      assert.ok(found === "unknown" || isIP(found) === 4 || isIP(found.replace("::/64", "::")) === 6, found);
    }),
    cases(3000),
  );
});

test("whatever the headers say of a body, it is refused or read", () => {
  const type = fc.oneof(
    value,
    fc
      .array(fc.constantFrom("a", "/", "+json", ";", " ", "application", "=", "\t"), { maxLength: 12 })
      .map((each) => each.join("")),
    fc.constantFrom("a/".repeat(8000), `${"x".repeat(8000)}/+json`, " ".repeat(16_000)),
  );
  fc.assert(
    fc.property(type, value, fc.oneof(fc.nat().map(String), value), (contentType, encoding, length) => {
      const headers = { "content-type": contentType, "content-encoding": encoding, "content-length": length };
      const refusal = headRefusal(headers, 1000);
      const codes = [undefined, "body-too-large", "unsupported-media-type", "unsupported-encoding"];
      assert.ok(codes.includes(refusal?.refused));
      if (Number(length) > 1000) assert.equal(refusal?.refused, "body-too-large");
    }),
    cases(2000),
  );
});
