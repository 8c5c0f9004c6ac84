// Any cursor, hint, token or message that Google, or an attacker in its name, could send.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { htmlToText } from "../../html/to-text.ts";
import { cases } from "../../../test/support/cases.ts";
import { isNewer, moveOn, parseCursor, startOf, writeCursor } from "./cursor.ts";
import { readHint } from "./hint.ts";
import { readMessage } from "./message.ts";
import { tokenFault } from "../../core/google-token.ts";
import type { Fields } from "./request.ts";

const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const pieces = fc.constantFrom("1", "0", "/", "@", "-", "e9", " ", "{", "99999999999999999999999");
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 6 }).map((each) => each.join("")),
  id,
);

test("a cursor that was written is read back, and any text is a cursor to start from", () => {
  fc.assert(
    fc.property(id, id, fc.nat(), (from, reported, reportedAt) => {
      const cursor = { from, reported, reportedAt };
      assert.deepEqual(parseCursor(writeCursor(cursor)), cursor);
    }),
    cases(500),
  );
  fc.assert(
    fc.property(text, text, fc.boolean(), (written, position, isSettled) => {
      const cursor = parseCursor(written);
      assert.equal(typeof startOf(cursor, isSettled), "string");
      assert.equal(typeof writeCursor(moveOn(cursor, position, isSettled, 0)), "string");
      assert.equal(typeof isNewer(position, written), "boolean");
    }),
    cases(2000),
  );
});

const names =
  "data emailAddress historyId payload parts headers mimeType filename body size internalDate id snippet";
const name = fc.constantFrom(...names.split(" "), "name", "value", "labelIds", "attachmentId", "__proto__");
const { fields } = fc.letrec<{ fields: Fields; value: unknown }>((tie) => ({
  fields: fc.dictionary(name, tie("value"), { maxKeys: 6 }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, 1, "", "text/html", "text/plain", "multipart/alternative", "8e15", "x"),
    fc.constantFrom("content-type", "text/plain; charset=bogus", "from", "=?utf-8?b?////?=", "<p>x", "PGI+"),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.array(tie("fields"), { maxLength: 3 }),
    tie("fields"),
  ),
}));

test("any push is a hint of Gmail or none", () => {
  const encoded = fc.oneof(
    fc.json(),
    fc.string({ unit: "binary" }),
    fields.map((each) => JSON.stringify(each)),
  );
  const message = fc.oneof(
    fields,
    encoded.map((said) => ({ data: Buffer.from(said).toString("base64") })),
  );
  fc.assert(
    fc.property(message, (pushed) => {
      const hint = readHint(pushed);
      if (hint === null) return;
      assert.match(hint.historyId, /^\d{1,20}$/);
      assert.equal(hint.emailAddress, hint.emailAddress.toLowerCase());
    }),
    cases(1500),
  );
});

test("any message of the API becomes a mail", async () => {
  await fc.assert(
    fc.asyncProperty(fields, fields, async (message, payload) => {
      const mail = await readMessage(
        { ...message, payload },
        {
          includeBody: true,
          maxBytes: 1000,
          load: async () => Buffer.from("<b>loaded"),
          readHtml: async (html) => htmlToText(html),
        },
      );
      assert.ok(
        Buffer.byteLength(mail.body) <= 1000 && mail.from.length <= 1000 && mail.attachments.length <= 100,
      );
      assert.ok(!Number.isNaN(Date.parse(mail.date ?? "")));
    }),
    cases(1500),
  );
});

const { publicKey } = await crypto.subtle.generateKey(
  {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  false,
  ["sign", "verify"],
);
const expected = { audience: "here", serviceAccountEmail: "push@here" };
const now = 1_800_000_000_000;
const good = {
  iss: "accounts.google.com",
  aud: "here",
  email: "push@here",
  email_verified: true,
  exp: now / 1000,
  iat: 0,
};
const part = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json().map((json) => Buffer.from(json).toString("base64url")),
  fc
    .constantFrom({ alg: "RS256", kid: "1" }, { alg: "none" }, good)
    .map((value) => Buffer.from(JSON.stringify(value)).toString("base64url")),
);

test("no text is a good token without a signature of ours", async () => {
  const token = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 4 }).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(token, fc.boolean(), async (written, isKnown) => {
      const findKey = async () => (isKnown ? publicKey : null);
      assert.equal(typeof (await tokenFault(written, { expected, findKey, now })), "string");
    }),
    cases(1500),
  );
});
