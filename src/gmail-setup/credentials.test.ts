import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../test/support/folder.ts";
import { readCredentials } from "./credentials.ts";

const key = { client_email: "a@b.test", private_key: "key" };

test("credentials whose type is not one of the two words are none", () => {
  const file = join(makeFolder("credentials"), "gmail.json");
  const read = (type: unknown) => {
    writeFileSync(file, JSON.stringify({ ...key, type }));
    return readCredentials(file);
  };
  assert.deepEqual(read("service_account"), { ...key, type: "service_account" });
  for (const type of [["service_account"], "constructor", "toString", 1, null, "authorized_user"])
    assert.equal(read(type), null, JSON.stringify(type));
});
