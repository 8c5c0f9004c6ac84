import { createFakeChannel, createSilentChannel } from "../../test/fakes/channel.ts";
import { channelContract } from "./channel.contract.ts";

channelContract("fake", {
  to: "12345",
  accepting: () => createFakeChannel(),
  refusing: () => createFakeChannel(() => ({ kind: "rejected", reason: "no such chat" })),
  limiting: (afterMs) => createFakeChannel(() => ({ kind: "retry", reason: "slow down", afterMs })),
  silent: createSilentChannel,
});
