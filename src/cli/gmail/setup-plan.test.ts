import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { json } from "../../../test/fixtures/command-line.ts";
import { account, createLab, project, pushArgv } from "../../../test/fixtures/gmail-account.ts";

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

test("the dry run lists every call that the setup makes", async (t) => {
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

test("--print-gcloud prints the commands that would create the same", async (t) => {
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
