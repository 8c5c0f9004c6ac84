// What the fuzzed gateway talks to by itself: an agent, a platform and a mail server, all of which say anything.
import { createFakeImap, fakeAccount } from "../fakes/imap.ts";
import { type OddPlatform, startOddPlatform } from "./platform.ts";
import { startOddAgent } from "./replies.ts";

export type Outside = {
  agentUrl: string;
  platform: OddPlatform;
  account: ReturnType<typeof fakeAccount>;
  addMail(raw: Buffer): void;
  /** True when the gateway waits for new mail. */
  isWatched(): boolean;
  stop(): Promise<void>;
};

export async function startOutside(seed: number): Promise<Outside> {
  const agent = await startOddAgent(seed);
  const platform = await startOddPlatform(seed);
  const imap = await createFakeImap();
  return {
    agentUrl: agent.url,
    platform,
    account: fakeAccount(imap),
    addMail: (raw) => imap.add({ raw }),
    isWatched: () => imap.commands.some((command) => /^IDLE/i.test(command)),
    async stop() {
      await agent.stop();
      await platform.stop();
      await imap.stop();
    },
  };
}
