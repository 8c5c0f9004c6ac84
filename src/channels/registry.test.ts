import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeChannel } from "../../test/fakes/channel.ts";
import { createChannels } from "./registry.ts";

test("finds a configured channel and lists its default recipient", () => {
  const channel = createFakeChannel();
  const channels = createChannels(new Map([["telegram", { channel, to: "5" }]]));
  assert.equal(channels.find("telegram"), channel);
  assert.equal(channels.find("whatsapp"), null);
  assert.deepEqual(channels.configured(), [{ channel: "telegram", to: "5" }]);
});
