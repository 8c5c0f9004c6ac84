import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeName } from "./node-name.ts";

test("a node is named by its host and port, or by its process where the system chooses the port", () => {
  assert.equal(nodeName(18_789, "web-1"), "web-1:18789");
  assert.equal(nodeName(0, "web-1", 77), "web-1#77");
});
