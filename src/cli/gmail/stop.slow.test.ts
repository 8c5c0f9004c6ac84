import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { loadConfig } from "../../config/load.ts";
import { systemClock } from "../../core/clock.ts";
import { openSqliteFile } from "../../store/sqlite/file.ts";
import { account, createLab, project } from "../../../test/fixtures/gmail-account.ts";

const topic = `projects/${project}/topics/rouse-gmail`;
const subscription = `projects/${project}/subscriptions/rouse-gmail`;

async function pulling(
  t: TestContext,
  prepare: (lab: Awaited<ReturnType<typeof createLab>>) => void = () => {},
) {
  const lab = await createLab(t);
  prepare(lab);
  const { code, stderr } = await lab.setup([
    "--account",
    account,
    "--client",
    lab.clientFile,
    "--mode",
    "pull",
  ]);
  assert.equal(code, 0, stderr);
  const store = await openSqliteFile({ path: join(lab.folder, "rouse.db"), clock: systemClock });
  t.after(() => store.close());
  return { lab, stored: async () => (await store.listMailAccounts())[0] ?? null };
}

test("stop ends the hints, says what stays, and a later setup asks for hints again", async (t) => {
  const { lab, stored } = await pulling(t);
  const { code, stdout } = await lab.stop([]);
  assert.equal(code, 0);
  assert.match(stdout, /removed +watch/);
  assert.match(stdout, /asks for hints again/);
  assert.equal(lab.google.gmail.state.watchedUntil, 0);
  assert.ok(lab.google.pubsub.topics.has(topic) && lab.google.pubsub.subscriptions.has(subscription));
  assert.ok((await stored())?.cursor, "where mail was read up to is kept");
  const again = await lab.setup([]);
  assert.match(again.stdout, /made +watch/);
  assert.ok(lab.google.gmail.state.watchedUntil > Date.now());
  lab.assertNoSecrets();
});

test("--delete deletes what the setup made, --remove removes hooks.gmail from the config", async (t) => {
  const { lab, stored } = await pulling(t);
  const { code, stdout } = await lab.stop(["--delete", "--remove", "--json"]);
  assert.equal(code, 0);
  const { steps, notes } = JSON.parse(stdout) as {
    steps: { what: string; state: string }[];
    notes: string[];
  };
  assert.deepEqual(
    steps.map(({ what, state }) => [what, state]),
    [
      ["config", "changed"],
      ["watch", "removed"],
      ["subscription", "removed"],
      ["topic", "removed"],
    ],
  );
  assert.match(notes.join(), /still in .*credentials/);
  assert.equal(lab.google.pubsub.topics.size + lab.google.pubsub.subscriptions.size, 0);
  const loaded = loadConfig(lab.file, lab.env);
  assert.ok(loaded.ok && loaded.config.hooks.gmail === null);
  assert.match(lab.config(), /Callers send it as/, "comments stay");
  assert.ok(existsSync(`${lab.file}.bak`));
  assert.equal(await stored(), null, "the next setup starts with new mail");
  await assert.rejects(lab.stop([]), /rouse gmail setup/);
  lab.assertNoSecrets();
});

test("resources that others made stay: the topic with its policy, and a subscription without our label", async (t) => {
  const others = { role: "roles/pubsub.publisher", members: ["user:someone@example.com"] };
  const { lab } = await pulling(t, ({ google }) => {
    const policy = { version: 1, etag: "e1", bindings: [others] };
    google.pubsub.topics.set(topic, { settings: { name: topic }, policy });
  });
  assert.equal((await lab.stop(["--delete"])).code, 0);
  assert.ok(!lab.google.pubsub.subscriptions.has(subscription));
  assert.deepEqual(
    lab.google.pubsub.topics.get(topic)?.policy["bindings"],
    [others],
    "only our grant is gone",
  );

  const foreign = await pulling(t, ({ google }) => google.pubsub.provision(topic, subscription));
  const { stdout } = await foreign.lab.stop(["--delete"]);
  assert.match(stdout, /left as it is +subscription.*not made by Rouse/);
  assert.ok(foreign.lab.google.pubsub.subscriptions.has(subscription));
  assert.ok(foreign.lab.google.pubsub.topics.has(topic));
});

test("a topic that others subscribe to stays", async (t) => {
  const { lab } = await pulling(t);
  const settings = { name: "projects/p/subscriptions/theirs", topic };
  lab.google.pubsub.subscriptions.set(settings.name, { settings, waiting: [], given: new Map(), wake: [] });
  const { stdout } = await lab.stop(["--delete"]);
  assert.match(stdout, /left as it is +topic.*other subscriptions use it/);
  assert.ok(lab.google.pubsub.topics.has(topic));
});

test("a login that has ended is explained, and hooks.gmail can be removed all the same", async (t) => {
  const { lab } = await pulling(t);
  lab.google.accounts.state.revoked = true;
  await assert.rejects(lab.stop([]), /invalid_grant/);
  const { code, stdout } = await lab.stop(["--remove"]);
  assert.equal(code, 0);
  assert.match(stdout, /changed +config.*left as it is +watch.*invalid_grant/s);
});
