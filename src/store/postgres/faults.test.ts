import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error the client has no types for this part of it
import sasl from "pg/lib/crypto/sasl.js";
import { isUnavailable, reasonOf } from "./faults.ts";

type Sasl = {
  startSession(mechanisms: readonly string[]): unknown;
  continueSession(session: unknown, password: unknown, message: string): Promise<void>;
};

test("an address without a password, where one is wanted, is named as such", async () => {
  const { startSession, continueSession } = sasl as Sasl;
  for (const password of [null, ""]) {
    const fault: unknown = await continueSession(startSession(["SCRAM-SHA-256"]), password, "").catch(
      (thrown: unknown) => thrown,
    );
    assert.equal(isUnavailable(fault), true);
    assert.equal(reasonOf(fault), "it wants a password, and the address has none");
  }
});
