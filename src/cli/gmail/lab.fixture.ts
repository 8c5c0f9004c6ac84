// A home, a Google, and a person with a browser, for tests of `rouse gmail`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import type { Clock } from "../../core/clock.ts";
import { startGoogle } from "../../../test/fakes/google.ts";
import { createFolder, createTestContext, type Result } from "../fixture.ts";
import { runSetup } from "./setup.ts";
import { runStop } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

export const account = "me@example.com";
export const project = "fake-project";

export type Person = Partial<Terminal> & { clock?: Clock };

export async function createLab(t: TestContext) {
  const home = createFolder(t);
  const google = await startGoogle({ account });
  t.after(() => google.stop());
  const printed: string[] = [];
  const file = join(home.folder, "rouse.jsonc");
  let current = (): string => "";

  /** What Google's page does when Yes is clicked: where it sends the browser. */
  function consent(url: string, who = account, scope?: string): string {
    const query = new URL(url).searchParams;
    const [challenge, redirectUri] = [query.get("code_challenge") ?? "", query.get("redirect_uri") ?? ""];
    const by = { account: who, scope: scope ?? query.get("scope") ?? "" };
    const code = google.accounts.consent(challenge, redirectUri, by);
    return `${redirectUri}/?${new URLSearchParams({ state: query.get("state") ?? "", code }).toString()}`;
  }

  async function run(verb: typeof runSetup, argv: readonly string[], person: Person): Promise<Result> {
    const { clock, ...terminal } = person;
    const { context, written } = createTestContext(argv, { env: home.env, ...(clock && { clock }) });
    current = () => written.stderr;
    const asked = new PassThrough();
    asked.on("data", (chunk: Buffer) => void printed.push(chunk.toString()));
    const around: Terminal = {
      input: new PassThrough(),
      output: asked,
      isInteractive: false,
      openBrowser: (url) => void fetch(consent(url)),
      ...terminal,
    };
    try {
      return { code: await verb(context, { terminal: around, endpoints: google.endpoints }), ...written };
    } finally {
      printed.push(written.stdout, written.stderr);
    }
  }

  const { client, serviceAccount, secrets } = google.accounts;
  const installed = { client_id: client.id, client_secret: client.secret, project_id: project };
  return {
    ...home,
    google,
    consent,
    file,
    clientFile: write(home.folder, "client.json", { installed }),
    serviceAccountFile: write(home.folder, "service-account.json", serviceAccount),
    credentialsFile: join(home.folder, "credentials", `gmail-${account}.json`),
    setup: (argv: readonly string[], person: Person = {}) => run(runSetup, argv, person),
    stop: (argv: readonly string[]) => run(runStop, argv, {}),
    /** Calls that change something, other than getting tokens. */
    writes: () => google.calls.filter(({ method, path }) => method !== "GET" && path !== "/token"),
    settingsOf: (subscription: string) => google.pubsub.subscriptions.get(subscription)?.settings,
    /** On standard error, by the command that runs. */
    printedNow: () => current(),
    /** All that was printed and asked so far. */
    printed: () => printed.join(""),
    config: () => readFileSync(file, "utf8"),
    /** All that any command has printed and asked, searched for everything secret. */
    assertNoSecrets() {
      const all = printed.join("\n");
      const key = serviceAccount.private_key.split("\n")[1] ?? "";
      for (const secret of [...secrets, key])
        assert.ok(!all.includes(secret), `a secret was printed: ${secret.slice(0, 8)}…`);
      assert.ok(all.length > 0);
    },
  };
}

export type Lab = Awaited<ReturnType<typeof createLab>>;

function write(folder: string, name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Short pauses are none. */
export const hastyClock = (clock: Clock): Clock => ({
  now: () => clock.now(),
  after: (delayMs, wake) => clock.after(delayMs <= 60_000 ? 0 : delayMs, wake),
});
