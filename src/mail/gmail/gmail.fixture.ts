// The fake Google with a config that leads to it, for tests of this room.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createFakeClock, type FakeClock } from "../../../test/fakes/clock.ts";
import { type FakeGoogle, startGoogle } from "../../../test/fakes/google.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import type { GmailConfig } from "../../config/config.ts";

export const topic = "projects/fake-project/topics/mail";
export const subscription = "projects/fake-project/subscriptions/mail";
export const oidc = {
  audience: "https://gateway.test/gmail-pubsub",
  serviceAccountEmail: "push@fake-project.iam.gserviceaccount.com",
};

export type Surroundings = {
  google: FakeGoogle;
  clock: FakeClock;
  folder: string;
  config: GmailConfig;
  signal: AbortSignal;
  /** Replaces the credentials. */
  logIn(credentials: object): void;
};

export async function surroundings(
  t: Pick<TestContext, "after">,
  more: Partial<GmailConfig> = {},
): Promise<Surroundings> {
  const clock = createFakeClock();
  const google = await startGoogle({ now: () => clock.now() });
  google.pubsub.provision(topic, subscription);
  const folder = makeFolder("gmail");
  const credentialsFile = join(folder, "credentials.json");
  const logIn = (credentials: object): void =>
    writeFileSync(credentialsFile, JSON.stringify(credentials), { mode: 0o600 });
  logIn(google.accounts.login);
  const aborter = new AbortController();
  t.after(async () => {
    aborter.abort();
    await google.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const config: GmailConfig = {
    account: google.account,
    label: "INBOX",
    excludeLabels: ["SPAM", "TRASH", "DRAFT", "SENT"],
    mode: "poll",
    credentialsFile,
    pollMs: 30_000,
    topic,
    subscription,
    oidc,
    pushPath: "/gmail-pubsub",
    includeBody: true,
    maxBytes: 20_000,
    renewEveryMs: 43_200_000,
    catchUp: { maxAgeMs: 604_800_000, maxMessages: 500 },
    endpoints: google.endpoints,
    ...more,
  };
  return { google, clock, folder, config, signal: aborter.signal, logIn };
}
