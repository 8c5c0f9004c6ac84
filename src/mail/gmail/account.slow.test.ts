// Mail through the whole gateway, from Google to runs, with hints polled, pulled and pushed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { faultReplies, type FakeGoogle, startGoogle } from "../../../test/fakes/google.ts";
import { startTestGateway, type TestGateway } from "../../../test/support/gateway.ts";
import { plainText } from "../../core/message.ts";
import { oidc, subscription, topic } from "../../../test/fixtures/gmail-mailbox.ts";

type Scene = { google: FakeGoogle; gateway: TestGateway; status(): Promise<string | undefined> };

async function open(t: TestContext, gmail: object = {}, hooks: object = {}): Promise<Scene> {
  const google = await startGoogle();
  t.after(() => google.stop());
  google.pubsub.provision(topic, subscription);
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        gmail: {
          account: google.account,
          credentialsFile: "gmail.json",
          pollSeconds: 1,
          topic,
          subscription,
          endpoints: google.endpoints,
          ...gmail,
        },
        ...hooks,
      },
    },
    { files: { "gmail.json": JSON.stringify(google.accounts.login) }, watchMs: 20 },
  );
  const status = async () => (await gateway.inspect.listMailAccounts())[0]?.status;
  await gateway.waitFor("the first sync", async () => (await gateway.inspect.listMailAccounts())[0]?.cursor);
  return { google, gateway, status };
}

const runOf = (gateway: TestGateway, id: string) =>
  gateway.waitFor(`the run of mail ${id}`, async () =>
    (await gateway.runs()).find(({ sessionKey }) => sessionKey === `hook:gmail:${id}`),
  );

suite("mail that is polled", { concurrency: true }, () => {
  test("a mail becomes one run of the preset, with the settings of hooks.gmail", async (t) => {
    const { google, gateway, status } = await open(t, { model: "a/b", thinking: "low" });
    const id = google.gmail.deliver({ subject: "Invoice", text: "Please pay." });
    const run = await runOf(gateway, id);
    assert.deepEqual(
      [run.hook, run.request.name, run.request.model, run.request.thinking],
      ["gmail", "Gmail", "a/b", "low"],
    );
    assert.deepEqual(
      [run.request.unsafe, run.request.message.some((part) => typeof part !== "string")],
      [false, true],
    );
    assert.match(
      plainText(run.request.message),
      /Subject: Invoice\nSnippet: Please pay.\nBody: Please pay\.$/,
    );
    await gateway.waitFor("later syncs", async () => google.count("/history") > 3);
    assert.equal((await gateway.runs()).length, 1);
    assert.equal(google.gmail.state.watchCalls, 0);
    assert.equal(await status(), "ok");
  });

  test("mail goes through the mappings of the hook as a request does", async (t) => {
    const { google, gateway } = await open(
      t,
      {},
      {
        mappings: [
          {
            match: { path: "gmail", payload: { "messages[0].subject": "note" } },
            action: "wake",
            textTemplate: "mail from {{ messages[0].from }} for {{ account }} by {{ source }}",
          },
          {
            match: { path: "gmail", payload: { "messages[0].subject": "run" } },
            messageTemplate: "x",
            sessionKey: "hook:mine:{{ messages[0].id }}",
          },
          { match: { path: "gmail", payload: { source: "never" } }, messageTemplate: "x" },
        ],
        presets: [],
      },
    );
    const [note, run] = [google.gmail.deliver({ subject: "note" }), google.gmail.deliver({ subject: "run" })];
    await gateway.waitFor("the run", async () =>
      (await gateway.runs()).some(({ sessionKey }) => sessionKey === `hook:mine:${run}`),
    );
    const [event] = await gateway.events("wake");
    assert.equal(plainText(event!.text), `mail from Ann <ann@mail.test> for ${google.account} by gmail`);
    assert.ok(note);
  });

  test("there is no push path, and the hook accepts posts", async (t) => {
    const { gateway } = await open(t);
    assert.equal((await gateway.send({ target: "/gmail-pubsub" })).status, 404);
    const posted = await gateway.post("gmail", { messages: [{ id: "posted", from: "x", subject: "y" }] });
    assert.equal(posted.status, 202);
    await runOf(gateway, "posted");
  });
});

suite("hints that are pulled", { concurrency: true }, () => {
  test("hints are requested from Google, and each leads to a run at once", async (t) => {
    const { google, gateway } = await open(t, { mode: "pull" });
    await gateway.waitFor("the watch", async () => google.gmail.state.watchedUntil > 0);
    await runOf(gateway, google.gmail.deliver());
    google.pubsub.state.hints = "doubled";
    const ids = Array.from({ length: 5 }, () => google.gmail.deliver());
    google.pubsub.redeliver();
    for (const id of ids) await runOf(gateway, id);
    google.pubsub.state.hints = "held";
    const late = [google.gmail.deliver(), google.gmail.deliver()];
    google.pubsub.sendHeld((waiting) => waiting.toReversed());
    for (const id of late) await runOf(gateway, id);
    assert.equal((await gateway.runs()).length, 8);
    const [account] = await gateway.inspect.listMailAccounts();
    assert.equal(account?.watchExpiration, google.gmail.state.watchedUntil);
  });

  test("a hint that comes before its mail can be seen leads to the run, too", async (t) => {
    const { google, gateway } = await open(t, { mode: "pull" });
    await gateway.waitFor("the watch", async () => google.gmail.state.watchedUntil > 0);
    const id = google.gmail.deliver({ hidden: true });
    const syncs = google.count("/history");
    await gateway.waitFor("a sync", async () => google.count("/history") > syncs);
    google.gmail.reveal();
    await runOf(gateway, id);
  });

  test("without a topic the mail still comes, and the account is degraded", async (t) => {
    const { google, gateway, status } = await open(t, { mode: "pull", topic: "projects/p/topics/none" });
    await gateway.waitFor("the status", async () => (await status()) === "degraded");
    const [account] = await gateway.inspect.listMailAccounts();
    assert.match(account?.lastError ?? "", /hints could not be requested: Google knows no such topic/);
    assert.equal(google.gmail.state.watchedUntil, 0);
    const id = google.gmail.deliver();
    await gateway.restart();
    await runOf(gateway, id);
  });
});

suite("hints that are pushed", { concurrency: true }, () => {
  test("a signed push to its own path leads to the run; another request is refused", async (t) => {
    const { google, gateway } = await open(t, { mode: "push", oidc });
    await gateway.waitFor("the watch", async () => google.gmail.state.watchedUntil > 0);
    const { pubsub } = google;
    pubsub.provision(topic, subscription, {
      pushEndpoint: `${gateway.url}/gmail-pubsub`,
      oidcToken: { audience: oidc.audience, serviceAccountEmail: oidc.serviceAccountEmail },
    });
    await runOf(gateway, google.gmail.deliver());
    await pubsub.settled();
    assert.deepEqual(pubsub.state.pushes, [204]);
    const refused = await gateway.send({
      target: "/gmail-pubsub",
      headers: [`Authorization: Bearer ${gateway.token}`],
    });
    assert.equal(refused.status, 401);
    assert.equal((await gateway.send({ target: "/gmail-pubsub/more" })).status, 404);
  });
});

suite("a Gmail account that meets faults", { concurrency: true }, () => {
  test("a refused login leads to one notice, does not change readyz, and a new login is used without a restart", async (t) => {
    const { google, gateway, status } = await open(t);
    google.accounts.state.revoked = true;
    google.accounts.endTokens();
    await gateway.waitFor("the status", async () => (await status()) === "needs-reauth");
    assert.equal((await gateway.send({ method: "GET", target: "/readyz" })).status, 200);
    const tokenCalls = google.count("/token");
    const id = google.gmail.deliver();
    await gateway.restart();
    await gateway.waitFor("the try after the restart", async () => google.count("/token") > tokenCalls);
    const [event, ...more] = await gateway.events("notice");
    assert.equal(more.length, 0);
    assert.match(
      plainText(event!.text),
      /is no longer read: Google no longer takes the login \(invalid_grant\)/,
    );
    google.accounts.state.revoked = false;
    writeFileSync(
      join(gateway.folder, "gmail.json"),
      JSON.stringify({ ...google.accounts.login, new: true }),
    );
    await runOf(gateway, id);
    assert.equal(await status(), "ok");
    const shown = gateway.logLines.join("");
    for (const secret of [google.accounts.login.refresh_token, google.accounts.client.secret])
      assert.ok(!shown.includes(secret));
    assert.ok(!shown.includes("ya29."));
  });

  test("each mail becomes one run although calls fail", async (t) => {
    const { google, gateway } = await open(t);
    const ids: string[] = [];
    // One kind of fault at a time: few syncs in a row fail, and the back-off stays short.
    for (const fault of [
      { on: "/history", times: 2, reply: faultReplies.unavailable },
      { on: "/messages/", every: 7, times: 7, reply: faultReplies.rateLimit },
      { on: "/token", times: 2, reply: faultReplies.unavailable },
    ]) {
      google.faults.add(fault);
      const round = Array.from({ length: 8 }, () => google.gmail.deliver());
      google.accounts.endTokens();
      for (const id of round) await runOf(gateway, id);
      ids.push(...round);
    }
    const gone = google.gmail.deliver();
    google.gmail.remove(gone);
    const syncs = google.count("/history");
    await gateway.waitFor("two more syncs", async () => google.count("/history") > syncs + 1);
    const keys = (await gateway.runs()).map(({ sessionKey }) => sessionKey);
    assert.deepEqual(keys.toSorted(), ids.map((id) => `hook:gmail:${id}`).toSorted());
  });
});

suite("hooks that are off", { concurrency: true }, () => {
  test("no mailbox is read", async (t) => {
    const google = await startGoogle();
    t.after(() => google.stop());
    const gateway = await startTestGateway(t, {
      hooks: {
        enabled: false,
        gmail: { account: google.account, endpoints: google.endpoints, pollSeconds: 1 },
      },
    });
    assert.equal((await gateway.send({ method: "GET", target: "/readyz" })).status, 200);
    assert.deepEqual(await gateway.inspect.listMailAccounts(), []);
    assert.equal(google.requests.length, 0);
  });
});
