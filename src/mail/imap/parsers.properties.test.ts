// Stored cursors and ids of an IMAP mailbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { idOf, keyOf } from "./identity.ts";

test("a cursor that was written is read back, and any text is a cursor or null", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (uidValidity, uid) => {
      assert.deepEqual(parseCursor(formatCursor({ uidValidity, uid })), { uidValidity, uid });
    }),
    cases(500),
  );
  const odd = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.constantFrom("null", "[]", '{"uid":1e999}', "1/2@3"),
  );
  fc.assert(
    fc.property(odd, (written) => {
      const cursor = parseCursor(written);
      if (cursor !== null)
        assert.ok(typeof cursor.uidValidity === "string" && Number.isSafeInteger(cursor.uid));
    }),
    cases(800),
  );
});

const headers = fc
  .array(
    fc.constantFrom("Message-ID: ", "message-id:", "<a@b>", "\r\n", "\n ", "Subject: x", "é", ":", "\0"),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(""));

test("an id belongs to its account, and holds the key to find its message by", () => {
  const account = fc.oneof(
    fc.constantFrom("a", "a:b", "me@x.org", "a.M"),
    fc.string({ minLength: 1, maxLength: 10 }),
  );
  const emailId = fc.option(fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/), fc.string()));
  const date = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(account, emailId, date, headers, (account, emailId, internalDate, headers) => {
      const id = idOf(account, { emailId, internalDate, size: 1, headers });
      const key = keyOf(account, id);
      assert.ok(key !== null, id);
      if (key.kind === "email-id") assert.equal(key.emailId, emailId);
      else assert.equal(key.date, Math.floor(internalDate / 1000) * 1000);
      assert.equal(keyOf(`${account}x`, id), null);
    }),
    cases(800),
  );
});

test("any text is an id with a key or null", () => {
  const pieces = fc.constantFrom("a", ":", ".", "M", "zzzzzzzzz", "-1", "\0");
  const id = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 7 }).map((each) => each.join("")),
  );
  fc.assert(
    fc.property(id, (written) => {
      const key = keyOf("a", written);
      if (key?.kind === "date") assert.ok(Number.isSafeInteger(key.date) && key.date >= 0);
    }),
    cases(800),
  );
});
