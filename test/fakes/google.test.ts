// The fake against Google's own clients.
import assert from "node:assert/strict";
import { before, after, suite, test } from "node:test";
import { gmail as openGmail, type gmail_v1 } from "@googleapis/gmail";
import { JWT, OAuth2Client } from "google-auth-library";
import { faultReplies, type FakeGoogle, startGoogle } from "./google.ts";

const topicName = "projects/fake-project/topics/mail";
const subscription = "projects/fake-project/subscriptions/mail";

suite("the fake, driven by Google's clients", () => {
  let google: FakeGoogle;
  let client: gmail_v1.Gmail;
  let login: OAuth2Client;
  const userId = "me";

  before(async () => {
    google = await startGoogle();
    google.pubsub.provision(topicName, subscription);
    login = new OAuth2Client({
      clientId: google.accounts.client.id,
      clientSecret: google.accounts.client.secret,
      forceRefreshOnFailure: true,
      endpoints: {
        oauth2TokenUrl: `${google.url}/token`,
        oauth2FederatedSignonPemCertsUrl: `${google.url}/oauth2/v1/certs`,
      },
    });
    login.setCredentials({ refresh_token: google.accounts.login.refresh_token });
    client = openGmail({ version: "v1", auth: login, rootUrl: `${google.url}/`, retry: false });
  });
  after(() => google.stop());

  test("profile, watch, history, message, list and stop", async () => {
    const { data: profile } = await client.users.getProfile({ userId });
    assert.equal(profile.emailAddress, google.account);
    const start = String(profile.historyId);
    assert.ok(BigInt(start) > BigInt(Number.MAX_SAFE_INTEGER));
    const { data: watch } = await client.users.watch({
      userId,
      requestBody: { topicName, labelIds: ["INBOX"] },
    });
    assert.ok(Number(watch.expiration) > Date.now());

    const ids = Array.from({ length: 5 }, () => google.gmail.deliver({ subject: "Zwölf" }));
    google.gmail.deliver({ labels: ["SENT"] });
    google.gmail.state.pageSize = 2;
    const found: string[] = [];
    let pageToken: string | undefined;
    let end: string | null | undefined;
    do {
      const { data } = await client.users.history.list({
        userId,
        startHistoryId: start,
        labelId: "INBOX",
        historyTypes: ["messageAdded"],
        ...(pageToken !== undefined && { pageToken }),
      });
      for (const record of data.history ?? [])
        for (const { message } of record.messagesAdded ?? []) found.push(String(message?.id));
      pageToken = data.nextPageToken ?? undefined;
      end = data.historyId;
    } while (pageToken !== undefined);
    assert.deepEqual(found, ids);
    assert.equal(end, google.gmail.historyId());

    const { data: message } = await client.users.messages.get({ userId, id: ids[0]!, format: "full" });
    const subject = message.payload?.headers?.find(({ name }) => name === "Subject")?.value;
    assert.equal(subject, "Zwölf");
    assert.match(Buffer.from(message.payload?.body?.data ?? "", "base64url").toString(), /^The text of/);
    const { data: list } = await client.users.messages.list({ userId, labelIds: ["INBOX"], q: "after:1" });
    assert.equal(list.messages?.length, 5);
    google.gmail.remove(ids[1]!);
    await assert.rejects(client.users.messages.get({ userId, id: ids[1]! }), { status: 404 });
    google.gmail.expireHistory();
    await assert.rejects(client.users.history.list({ userId, startHistoryId: start }), { status: 404 });
    await client.users.stop({ userId });
    assert.equal(google.gmail.state.watchedUntil, 0);
  });

  test("a token that ended is replaced; a login that ended is not", async () => {
    const before = google.accounts.state.issued;
    google.accounts.endTokens();
    await client.users.getProfile({ userId });
    assert.equal(google.accounts.state.issued, before + 1);
    google.accounts.state.revoked = true;
    google.accounts.endTokens();
    await assert.rejects(client.users.getProfile({ userId }), /invalid_grant/);
    google.accounts.state.revoked = false;
  });

  test("faults are faults to it", async () => {
    google.faults.add({ on: "GET /gmail/v1/users/me/profile", times: 2, reply: faultReplies.rateLimit });
    await assert.rejects(client.users.getProfile({ userId }), { status: 403 });
    google.faults.add({ on: "GET /gmail/v1/users/me/profile", times: 1, reset: true });
    await assert.rejects(client.users.getProfile({ userId }));
    await client.users.getProfile({ userId });
  });

  test("a service account in a person's name", async () => {
    const { client_email: email, private_key: key } = google.accounts.serviceAccount;
    const scopes = ["https://www.googleapis.com/auth/gmail.readonly"];
    // Its token address is fixed, so the request is redirected to the fake.
    const fetchImplementation: typeof fetch = (url, init) =>
      fetch(new Request(url).url.replace("https://oauth2.googleapis.com", google.url), init);
    const robot = new JWT({
      email,
      key,
      scopes,
      subject: google.account,
      transporterOptions: { fetchImplementation },
    });
    const { access_token: token } = await robot.authorize();
    assert.equal(google.accounts.owner({ token: token ?? "" }), google.account);
    google.accounts.state.delegated = false;
    await assert.rejects(
      new JWT({
        email,
        key,
        scopes,
        subject: google.account,
        transporterOptions: { fetchImplementation },
      }).authorize(),
      /unauthorized_client/,
    );
    google.accounts.state.delegated = true;
  });

  test("a push token is good for its own check", async () => {
    const audience = "https://x.test/gmail-pubsub";
    const email = "push@fake-project.iam.gserviceaccount.com";
    const ticket = await login.verifyIdToken({
      idToken: google.accounts.pushToken({ aud: audience, email }),
      audience,
    });
    assert.equal(ticket.getPayload()?.email, email);
    const stale = google.accounts.pushToken({ aud: audience, email, exp: 1_000_000_000, iat: 999_990_000 });
    await assert.rejects(login.verifyIdToken({ idToken: stale, audience }));
  });
});
