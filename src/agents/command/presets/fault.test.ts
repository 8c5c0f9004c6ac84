import assert from "node:assert/strict";
import { test } from "node:test";
import { mayPass } from "./fault.ts";

test("failures that may pass, and failures that do not", () => {
  const by = (message: string, status: number | null = null) => mayPass({ message, status });
  for (const status of [408, 429, 500, 503, 529]) assert.ok(by("x", status), String(status));
  for (const status of [400, 401, 403, 404]) assert.ok(!by("rate limit", status), String(status));
  for (const message of [
    "unexpected status 503 Service Unavailable",
    "We’re currently experiencing high demand, which may cause temporary errors.",
    "stream disconnected before completion: failed to lookup address information",
    "Claude AI usage limit reached|1790000000",
    "fetch failed",
    "connect ECONNREFUSED 127.0.0.1:1",
    "Request timed out",
  ])
    assert.ok(by(message), message);
  for (const message of [
    "Not logged in · Please run /login",
    "Invalid API key · Fix external API key",
    "unexpected status 401 Unauthorized: invalid x-api-key",
    "Please set an Auth method in your settings.json",
    "Your credit balance is too low: rate limit 0",
    "error_max_turns",
  ])
    assert.ok(!by(message), message);
});
