import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { secretBytes, signatureHeaders } from "./standard-webhooks.ts";

test("the example of the standard", () => {
  const headers = signatureHeaders({
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  });
  assert.deepEqual(headers, {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a secret without the prefix is its own bytes, in UTF-8", () => {
  const { "webhook-signature": signature } = signatureHeaders({
    id: "a",
    timestampSeconds: 1,
    body: "bödy",
    secret: "sëcret",
  });
  const mac = createHmac("sha256", Buffer.from("sëcret")).update(Buffer.from("a.1.bödy")).digest("base64");
  assert.equal(signature, `v1,${mac}`);
});

test("a malformed secret never becomes an empty or shortened key", () => {
  for (const secret of ["whsec_", "whsec_not-base64!"])
    assert.deepEqual(secretBytes(secret), Buffer.from(secret), secret);
});
