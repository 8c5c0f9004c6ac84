import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateLimit, rateHeaders } from "./rate-limit.ts";

test("a caller has so many requests in a minute, told in the headers of the draft; others have their own", () => {
  let now = 1000;
  const limit = createRateLimit({ monotonic: () => now }, 2);
  assert.deepEqual(limit.take("token"), { allowed: true, remaining: 1, resetSeconds: 60 });
  now += 59_500;
  const second = limit.take("token");
  assert.deepEqual(second, { allowed: true, remaining: 0, resetSeconds: 1 });
  assert.deepEqual(rateHeaders(second), [
    "RateLimit-Policy",
    '"requests";q=600;w=60',
    "RateLimit",
    '"requests";r=0;t=1',
  ]);
  assert.equal(limit.take("token").allowed, false);
  assert.equal(limit.take("session a").allowed, true);
  now += 500;
  assert.deepEqual(limit.take("token"), { allowed: true, remaining: 1, resetSeconds: 60 });
});
