// A short run of the fuzzer with every test run, always the same inputs; `npm run fuzz` goes on from there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzRequests } from "./requests.ts";

test(
  "10,000 hostile requests: each gets a documented response, and nothing is left behind",
  { timeout: 600_000 },
  async () => {
    const { faults, requests, outcomes, stored } = await fuzzRequests({
      seed: 1,
      requests: 10_000,
      seconds: 500,
      databaseUrl: null,
      keep: false,
    });
    assert.deepEqual(faults, []);
    assert.equal(requests, 10_000);
    // The inputs are still what they are meant to be: neither all refused nor all accepted.
    assert.ok(stored.runs > 500 && stored.wakes > 500 && stored.mails > 20 && stored.messages > 10);
    assert.ok(Object.keys(outcomes).length >= 20, Object.keys(outcomes).join(" "));
  },
);
