import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf } from "../../test/fixtures/config.ts";
import { restartNeeded } from "./restart.ts";

test("names exactly the changed settings that cannot change while running", () => {
  const before = configOf({});
  const after = configOf({
    gateway: { host: "::1", port: 1, maxConnections: 2, drainSeconds: 5 },
    hooks: { enabled: true, token: "x", path: "/in" },
    agents: { maxConcurrent: 9 },
    store: { url: "postgres://h/d", path: "x.db", leaseSeconds: 20, retention: "1d" },
    log: { level: "debug", format: "json" },
  });
  assert.deepEqual(restartNeeded(before, after), [
    "gateway.host",
    "gateway.port",
    "gateway.maxConnections",
    "store.url",
    "store.path",
    "store.leaseSeconds",
    "log.format",
  ]);
  assert.deepEqual(restartNeeded(before, configOf({})), []);
  assert.deepEqual(restartNeeded(before, configOf({ log: { level: "debug" } })), []);
});
