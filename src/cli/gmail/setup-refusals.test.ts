import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { refused } from "../../../test/fakes/google.ts";
import { account, createLab, gmailIn, project } from "../../../test/fixtures/gmail-account.ts";

test("without a terminal, setup names what is missing and asks nothing", async (t) => {
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

test("refusals in the cloud are explained, and leave no half-made setup in use", async (t) => {
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
    const removeFault = lab.google.faults.add({ on, reply });
    await assert.rejects(lab.setup(argv), words);
    removeFault();
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
