// A courier on the store of `setUpRunner`, with a channel and a clock that the test holds.
import type { TestContext } from "node:test";
import { createFakeAgent } from "./agent.ts";
import type { FakeChannel } from "./channel.ts";
import { setUpRunner } from "./runner.ts";
import { createChannels } from "../../src/channels/registry.ts";
import { silentLog } from "../../src/core/log.ts";
import { plainText } from "../../src/core/message.ts";
import { createCourier, type CourierOptions } from "../../src/delivery/courier.ts";

export const telegram = [{ channel: "telegram", to: "5" }];

export async function setUpCourier(t: TestContext) {
  const { store, clock, runnerWith, enqueue, policy } = await setUpRunner(t);

  /** A delivery, made by a runner. Returns its id. */
  async function reply(
    asked: Parameters<typeof enqueue>[0] = {},
    { configured = telegram, text = "done" }: { configured?: typeof telegram; text?: string } = {},
  ): Promise<string> {
    const runId = await enqueue({ deliver: true, ...asked });
    const agent = createFakeAgent(() => ({ kind: "replied", reply: text }));
    await runnerWith(agent, { policy: () => ({ ...policy, configured }) }).tick();
    const [delivery] = await store.listDeliveries({ limit: null, runId });
    return delivery!.id;
  }
  const courierTo = (channel: FakeChannel, more: Partial<CourierOptions> = {}) =>
    createCourier({
      store,
      channels: () => createChannels(new Map([["telegram", { channel, to: "5" }]])),
      clock,
      log: silentLog,
      leaseMs: 120_000,
      random: () => 0,
      ...more,
    });
  const find = async (id: string) => (await store.findDelivery(id))!;
  const notices = async () =>
    (await store.listEvents({ limit: null }))
      .filter(({ source }) => source === "notice")
      .map(({ text }) => plainText(text));
  return { store, clock, reply, courierTo, find, notices };
}
