import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { systemClock } from "../../core/clock.ts";
import { openSqliteFile } from "../../store/sqlite/file.ts";
import { refused } from "../../../test/fakes/google.ts";
import { json } from "../../../test/fixtures/command-line.ts";
import {
  account,
  createLab,
  gmailIn,
  hastyClock,
  type Lab,
  modeOf,
  type PrintedSetup,
  project,
  pushArgv,
  statesIn,
} from "../../../test/fixtures/gmail-account.ts";

async function storedAccounts({ folder }: Lab) {
  const store = await openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock });
  try {
    return await store.listMailAccounts();
  } finally {
    await store.close();
  }
}

test("poll, from nothing: login, credentials, cursor and config; the second time changes nothing", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", "Me@Example.com", "--client", lab.clientFile];
  lab.google.accounts.state.loginSeconds = 604_799;
  const first = await lab.setup(argv);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /made +login: me@example\.com/);
  assert.match(first.stdout, /"Testing" loses this login after seven days/);
  assert.match(first.stdout, /This login ends at 20/);
  assert.equal(modeOf(lab.credentialsFile), "600");
  assert.equal(modeOf(join(lab.folder, "credentials")), "700");
  assert.match(lab.config(), /Callers send it as/, "comments stay");
  assert.ok(existsSync(`${lab.file}.bak`));
  const gmail = gmailIn(lab);
  assert.equal(gmail?.mode, "poll");
  assert.equal(gmail?.account, account);
  assert.equal(gmail?.credentialsFile, lab.credentialsFile);
  const [stored] = await storedAccounts(lab);
  assert.equal(stored?.id, `gmail:${account}`);
  assert.equal(stored?.cursor, lab.google.gmail.historyId(), "a number beyond 2^53 stays exact");
  assert.deepEqual(lab.writes(), []);

  const before = [lab.config(), readFileSync(lab.credentialsFile, "utf8")];
  lab.google.gmail.deliver();
  const second = await lab.setup([...argv, "--json"], { openBrowser: () => assert.fail("no new login") });
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(statesIn(second), {
    login: "there",
    credentials: "there",
    cursor: "there",
    config: "there",
  });
  assert.deepEqual([lab.config(), readFileSync(lab.credentialsFile, "utf8")], before);
  assert.deepEqual((await storedAccounts(lab))[0]?.cursor, stored?.cursor);
  lab.assertNoSecrets();
});

test("pull: topic, grant, subscription, watch; run again without any flag, nothing is written", async (t) => {
  const lab = await createLab(t);
  const topic = `projects/${project}/topics/rouse-gmail`;
  const others = {
    role: "roles/pubsub.publisher",
    members: ["user:someone@example.com"],
    condition: { title: "weekdays" },
  };
  const policy = {
    version: 3,
    etag: "e1",
    bindings: [others, { role: "roles/viewer", members: ["user:a@b.c"] }],
  };
  lab.google.pubsub.topics.set(topic, { settings: { name: topic }, policy });
  const first = await lab.setup([
    "--account",
    account,
    "--client",
    lab.clientFile,
    "--mode",
    "pull",
    "--label",
    "support",
  ]);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(lab.google.pubsub.topics.get(topic)?.policy["bindings"], [
    others,
    { role: "roles/viewer", members: ["user:a@b.c"] },
    { role: "roles/pubsub.publisher", members: ["serviceAccount:gmail-api-push@system.gserviceaccount.com"] },
  ]);
  const name = `projects/${project}/subscriptions/rouse-gmail`;
  assert.deepEqual(lab.settingsOf(name), {
    name,
    topic,
    ackDeadlineSeconds: 60,
    expirationPolicy: {},
    pushConfig: {},
    labels: { "managed-by": "rouse", "rouse-grant": "made" },
  });
  assert.deepEqual(lab.google.calls.findLast(({ path }) => path.endsWith("/watch"))?.json, {
    topicName: topic,
    labelIds: ["Label_7"],
    labelFilterBehavior: "INCLUDE",
  });
  const gmail = gmailIn(lab);
  assert.equal(gmail?.topic, topic);
  assert.equal(gmail?.subscription, name);
  const [stored] = await storedAccounts(lab);
  assert.ok((stored?.watchExpiration ?? 0) > Date.now() + 6 * 86_400_000);

  const writes = lab.writes().length;
  const again = await lab.setup(["--json"]);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(lab.writes().length, writes, "nothing was written");
  assert.ok(Object.values(statesIn(again)).every((state) => state === "there"));
  assert.match((json(again) as PrintedSetup).notes[0] ?? "", /nothing was changed/);

  lab.settingsOf(name)!["ackDeadlineSeconds"] = 10;
  const mended = await lab.setup(["--json"]);
  assert.equal(statesIn(mended)["subscription"], "changed");
  const body = { subscription: { name, ackDeadlineSeconds: 60 }, updateMask: "ackDeadlineSeconds" };
  assert.deepEqual(lab.writes().slice(writes), [{ method: "PATCH", path: `/v1/${name}`, json: body }]);
  lab.assertNoSecrets();
});

test("push: the subscription proves itself by OIDC; the grant may take a moment, and a policy may change meanwhile", async (t) => {
  const lab = await createLab(t);
  const notYet = refused(
    403,
    "forbidden",
    "User not authorized to perform this action.",
    "PERMISSION_DENIED",
  );
  lab.google.faults.add({ on: "POST /gmail/v1/users/me/watch", times: 2, reply: notYet });
  lab.google.faults.add({ on: ":setIamPolicy", times: 1, reply: refused(409, "aborted", "", "ABORTED") });
  const argv = ["--account", account, "--client", lab.clientFile, ...pushArgv];
  const first = await lab.setup(argv, { clock: hastyClock(systemClock) });
  assert.equal(first.code, 0, first.stderr);
  const name = `projects/${project}/subscriptions/rouse-gmail`;
  assert.deepEqual(lab.settingsOf(name)?.["pushConfig"], {
    pushEndpoint: "https://hooks.example.com/gmail-pubsub",
    oidcToken: {
      serviceAccountEmail: `push@${project}.iam.gserviceaccount.com`,
      audience: "https://hooks.example.com/gmail-pubsub",
    },
  });
  assert.deepEqual(gmailIn(lab)?.oidc, {
    audience: "https://hooks.example.com/gmail-pubsub",
    serviceAccountEmail: `push@${project}.iam.gserviceaccount.com`,
  });
  const writes = lab.writes().length;
  assert.equal((await lab.setup([])).code, 0);
  assert.equal(lab.writes().length, writes);

  const pulled = await lab.setup(["--mode", "pull", "--json"]);
  assert.equal(pulled.code, 0, pulled.stderr);
  assert.deepEqual(lab.settingsOf(name)?.["pushConfig"], {});
  assert.equal(gmailIn(lab)?.mode, "pull");
  lab.assertNoSecrets();
});

test("a service account reads mail in the person's name and Pub/Sub in its own; its key is kept in a copy", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--service-account", lab.serviceAccountFile, "--mode", "pull"];
  const openBrowser = () => assert.fail("no browser");
  const first = await lab.setup(argv, { openBrowser });
  assert.equal(first.code, 0, first.stderr);
  assert.doesNotMatch(first.stdout, /Testing/);
  assert.equal(modeOf(lab.credentialsFile), "600");
  const kept = JSON.parse(readFileSync(lab.credentialsFile, "utf8")) as { client_email: string };
  assert.equal(kept.client_email, lab.google.accounts.serviceAccount.client_email);
  const writes = lab.writes().length;
  const again = await lab.setup(["--json"], { openBrowser });
  assert.equal(again.code, 0, again.stderr);
  assert.ok(Object.values(statesIn(again)).every((state) => state === "there"));
  assert.equal(lab.writes().length, writes);
  lab.assertNoSecrets();
});

test("--provisioned: topic and subscription are used as they are, and the login asks only to read mail", async (t) => {
  const lab = await createLab(t);
  const topic = `projects/${project}/topics/rouse-gmail`;
  lab.google.pubsub.provision(topic, `projects/${project}/subscriptions/rouse-gmail`);
  const argv = ["--account", account, "--client", lab.clientFile, ...pushArgv, "--provisioned"];
  const { code, stderr } = await lab.setup(argv);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    lab.writes().map(({ path }) => path),
    ["/gmail/v1/users/me/watch"],
  );
  const login = [...lab.google.accounts.logins.values()].at(-1);
  assert.equal(login?.scope, "https://www.googleapis.com/auth/gmail.readonly");
});
