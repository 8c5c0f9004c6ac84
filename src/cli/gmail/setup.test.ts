import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { loadConfig } from "../../config/load.ts";
import { systemClock } from "../../core/clock.ts";
import { openSqliteFile } from "../../store/sqlite/file.ts";
import { refused } from "../../../test/fakes/google.ts";
import { json } from "../../../test/fixtures/command-line.ts";
import { account, createLab, hastyClock, type Lab, project } from "../../../test/fixtures/gmail-account.ts";

type Steps = { steps: { what: string; state: string }[]; notes: string[] };
const statesIn = (result: { stdout: string }): Record<string, string> =>
  Object.fromEntries((JSON.parse(result.stdout) as Steps).steps.map(({ what, state }) => [what, state]));

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

async function storedAccounts({ folder }: Lab) {
  const store = await openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock });
  try {
    return await store.listMailAccounts();
  } finally {
    await store.close();
  }
}

function gmailIn(lab: Lab) {
  const loaded = loadConfig(lab.file, lab.env);
  assert.ok(loaded.ok);
  return loaded.config.hooks.gmail;
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
  assert.equal(mode(lab.credentialsFile), "600");
  assert.equal(mode(join(lab.folder, "credentials")), "700");
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
  assert.match((json(again) as Steps).notes[0] ?? "", /nothing was changed/);

  lab.settingsOf(name)!["ackDeadlineSeconds"] = 10;
  const mended = await lab.setup(["--json"]);
  assert.equal(statesIn(mended)["subscription"], "changed");
  const body = { subscription: { name, ackDeadlineSeconds: 60 }, updateMask: "ackDeadlineSeconds" };
  assert.deepEqual(lab.writes().slice(writes), [{ method: "PATCH", path: `/v1/${name}`, json: body }]);
  lab.assertNoSecrets();
});

const pushArgv = [
  "--mode",
  "push",
  "--push-endpoint",
  "https://hooks.example.com/gmail-pubsub",
  "--oidc-service-account",
  `push@${project}.iam.gserviceaccount.com`,
];

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
  assert.equal(mode(lab.credentialsFile), "600");
  const kept = JSON.parse(readFileSync(lab.credentialsFile, "utf8")) as { client_email: string };
  assert.equal(kept.client_email, lab.google.accounts.serviceAccount.client_email);
  const writes = lab.writes().length;
  const again = await lab.setup(["--json"], { openBrowser });
  assert.equal(again.code, 0, again.stderr);
  assert.ok(Object.values(statesIn(again)).every((state) => state === "there"));
  assert.equal(lab.writes().length, writes);
  lab.assertNoSecrets();
});

test("an existing config keeps its comments, its other settings and its mode; values from the environment stay so", async (t) => {
  const lab = await createLab(t);
  const text = `{
  // mine
  "gateway": { "auth": { "token": "gateway-token-that-is-long-enough" } },
  "hooks": {
    "enabled": true, "token": "hook-token-that-is-long-enough",
    "gmail": {
      "account": "\${MAIL}", // from outside
      "maxBytes": 4000, /* short */
    },
  },
}
`;
  writeFileSync(lab.file, text, { mode: 0o600 });
  lab.env["MAIL"] = account;
  const { code, stderr } = await lab.setup(["--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  for (const kept of ["// mine", "// from outside", "/* short */", '"${MAIL}"', '"maxBytes": 4000'])
    assert.ok(lab.config().includes(kept), kept);
  assert.equal(readFileSync(`${lab.file}.bak`, "utf8"), text);
  assert.equal(gmailIn(lab)?.credentialsFile, lab.credentialsFile);
  assert.equal(mode(lab.file), "600");
});

test("settings for mail that were there before any account stay", async (t) => {
  const lab = await createLab(t);
  const hooks = { enabled: true, token: "hook-token-that-is-long-enough", gmail: { maxBytes: 4000 } };
  writeFileSync(lab.file, JSON.stringify({ hooks }), { mode: 0o600 });
  const { code, stderr } = await lab.setup(["--account", account, "--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  assert.equal(gmailIn(lab)?.account, account);
  assert.equal(gmailIn(lab)?.maxBytes, 4000);
});

test("hooks that are off are turned on, and it is said", async (t) => {
  const lab = await createLab(t);
  writeFileSync(lab.file, "{}", { mode: 0o600 });
  const { code, stdout, stderr } = await lab.setup(["--account", account, "--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /hooks\.enabled, hooks\.token, hooks\.gmail\.account/);
  const loaded = loadConfig(lab.file, lab.env);
  assert.ok(loaded.ok && loaded.config.hooks.enabled);
  const token = loaded.config.hooks.tokens[0] ?? "";
  assert.ok(token.length > 24 && !stdout.includes(token));
});

test("a dry run makes no call and changes nothing", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--client", lab.clientFile, ...pushArgv, "--dry-run"];
  const { code, stdout } = await lab.setup(argv);
  assert.equal(code, 0);
  assert.deepEqual(lab.google.calls, []);
  assert.ok(
    !existsSync(lab.file) && !existsSync(lab.credentialsFile) && !existsSync(join(lab.folder, "rouse.db")),
  );
  const { origin } = new URL(lab.google.endpoints.pubsub);
  for (const line of [
    `PUT ${origin}/v1/projects/${project}/topics/rouse-gmail`,
    `POST ${origin}/v1/projects/${project}/topics/rouse-gmail:setIamPolicy`,
    `PUT ${origin}/v1/projects/${project}/subscriptions/rouse-gmail`,
    `POST ${origin}/gmail/v1/users/me/watch`,
    `POST ${origin}/token`,
  ])
    assert.ok(stdout.includes(`\n${line}\n`), line);
  const asJson = json(await lab.setup([...argv, "--json"])) as { calls: { method: string; url: string }[] };
  assert.ok(asJson.calls.length >= 10);
  await lab.setup([
    "--account",
    account,
    "--service-account",
    lab.serviceAccountFile,
    "--mode",
    "pull",
    "--dry-run",
    "--project",
    project,
  ]);
  lab.assertNoSecrets();
});

/** Everything a setup writes or sends was announced by its dry run. */
test("the dry run says all that the setup does", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--client", lab.clientFile, ...pushArgv];
  const plan = json(await lab.setup([...argv, "--dry-run", "--json"])) as {
    calls: { method: string; url: string; body?: object }[];
  };
  assert.equal((await lab.setup(argv)).code, 0);
  const { origin } = new URL(lab.google.endpoints.pubsub);
  const planned = plan.calls.map(({ method, url }) => `${method} ${url.split("?", 1)[0]}`);
  for (const { method, path } of lab.google.calls)
    assert.ok(planned.includes(`${method} ${origin}${path}`), path);
  const made = plan.calls.find(({ method, url }) => method === "PUT" && url.includes("/subscriptions/"));
  assert.deepEqual(
    made?.body,
    lab.google.calls.find(({ method, path }) => method === "PUT" && path.includes("/subscriptions/"))?.json,
  );
});

test("the same as gcloud commands", async (t) => {
  const lab = await createLab(t);
  const { stdout, code } = await lab.setup([
    "--account",
    account,
    "--client",
    lab.clientFile,
    ...pushArgv,
    "--print-gcloud",
  ]);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `# The APIs
gcloud services enable gmail.googleapis.com pubsub.googleapis.com --project=fake-project
# The topic that Gmail publishes to
gcloud pubsub topics create rouse-gmail --project=fake-project --labels=managed-by=rouse
# Gmail's right to publish to it
gcloud pubsub topics add-iam-policy-binding rouse-gmail --project=fake-project --member=serviceAccount:gmail-api-push@system.gserviceaccount.com --role=roles/pubsub.publisher
# The subscription, which never expires
gcloud pubsub subscriptions create rouse-gmail --project=fake-project --topic=rouse-gmail --ack-deadline=60 --expiration-period=never --labels=managed-by=rouse,rouse-grant=made --push-endpoint=https://hooks.example.com/gmail-pubsub --push-auth-service-account=push@fake-project.iam.gserviceaccount.com --push-auth-token-audience=https://hooks.example.com/gmail-pubsub
# Then, where Rouse runs:
rouse gmail setup --account=me@example.com --mode=push --project=fake-project --push-endpoint=https://hooks.example.com/gmail-pubsub --oidc-service-account=push@fake-project.iam.gserviceaccount.com --provisioned
`,
  );
  assert.deepEqual(lab.google.calls, []);
});

test("what others have provisioned is used as it is, with no more rights than that needs", async (t) => {
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

test("the command line is told what is missing, and never asked", async (t) => {
  const lab = await createLab(t);
  await assert.rejects(lab.setup([]), /--account ADDRESS/);
  await assert.rejects(lab.setup(["--account", account]), /--client FILE/);
  await assert.rejects(lab.setup(["--account", "me"]), /not a mail address/);
  const known = ["--account", account, "--client", lab.clientFile];
  await assert.rejects(lab.setup([...known, "--mode", "push"]), /--push-endpoint/);
  await assert.rejects(
    lab.setup([...known, "--mode", "pull", "--project", "another-1"]),
    /in the login's project/,
  );
  await assert.rejects(lab.setup([...known, "--mode", "fetch"]), /poll, pull or push/);
  await assert.rejects(lab.setup([...known, "--label", "Nothing"]), /no label Nothing.*Support/);
  assert.ok(!existsSync(lab.credentialsFile), "nothing is kept of a setup that failed");
  assert.equal(gmailIn(lab), null);
});

test("refusals in the cloud are explained, and leave no half setup in use", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--client", lab.clientFile, "--mode", "pull"];
  const activationUrl =
    "https://console.developers.google.com/apis/api/pubsub.googleapis.com/overview?project=1";
  const details = [{ reason: "SERVICE_DISABLED", metadata: { activationUrl } }];
  const off = {
    status: 403,
    body: { error: { code: 403, status: "PERMISSION_DENIED", message: "off", details } },
  };
  const failing = async (on: string, reply: typeof off | ReturnType<typeof refused>, words: RegExp) => {
    const takeBack = lab.google.faults.add({ on, reply });
    await assert.rejects(lab.setup(argv), words);
    takeBack();
    assert.equal(gmailIn(lab), null);
    assert.ok(!existsSync(lab.credentialsFile));
  };
  await failing("GET /v1/projects", off, /Pub\/Sub API is not enabled.*overview\?project=1/);
  const customer = "One or more users named in the policy do not belong to a permitted customer.";
  await failing(":setIamPolicy", refused(400, "failedPrecondition", customer), /Domain restricted sharing/);
  await failing("PUT /v1/projects", refused(403, "forbidden", "no", "PERMISSION_DENIED"), /--print-gcloud/);
  await failing("GET /gmail/v1/users/me/profile", refused(429, "rateLimitExceeded"), /quota/);

  const name = `projects/${project}/subscriptions/rouse-gmail`;
  lab.google.pubsub.provision("projects/fake-project/topics/another", name);
  await assert.rejects(
    lab.setup(argv),
    /belongs to the topic projects\/fake-project\/topics\/another.*--subscription NAME/,
  );
  const { code, stderr } = await lab.setup([...argv, "--subscription", "mail-two"]);
  assert.equal(code, 0, stderr);
  assert.equal(gmailIn(lab)?.subscription, `projects/${project}/subscriptions/mail-two`);
  lab.assertNoSecrets();
});
