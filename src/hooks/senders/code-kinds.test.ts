// Kinds whose proof is code: certificates, tokens, and a proof for each item of a body.
import assert from "node:assert/strict";
import { createHmac, sign } from "node:crypto";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { exportJWK, SignJWT } from "jose";
import {
  aSender,
  aSenderRequest,
  isProven,
  proofOf,
  type RequestParts,
} from "../../../test/builders/sender.ts";
import {
  certificate,
  certificateKey,
  certificateNow as now,
} from "../../../test/fixtures/senders/certificate.ts";
import { rsaKey } from "../../../test/support/rsa.ts";

const seconds = now / 1000;
const iso = (skewMs = 0): string => new Date(now + skewMs).toISOString();
type Fetched = { fetchText: (url: string) => Promise<string>; urls: string[] };

const fetching = (text: string): Fetched => {
  const urls: string[] = [];
  return {
    urls,
    fetchText: async (url) => {
      urls.push(url);
      return text;
    },
  };
};

describe("aws-sns", () => {
  const topic = "arn:aws:sns:us-west-2:123456789012:MyTopic";
  const sender = aSender("aws-sns", { topicArns: [topic] });
  const certUrl =
    "https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem";
  const notification = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Subject: "My First Message",
    Message: "Hello wörld!",
    Timestamp: iso(),
    SigningCertURL: certUrl,
  };
  const confirmation = {
    Type: "SubscriptionConfirmation",
    MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
    Token: "2336412f37",
    TopicArn: topic,
    Message: "You have chosen to subscribe to the topic.",
    SubscribeURL: "https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription",
    Timestamp: iso(),
    SigningCertURL: certUrl,
  };
  // As AWS lists them: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
  const signedFields = {
    Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
    SubscriptionConfirmation: [
      "Message",
      "MessageId",
      "SubscribeURL",
      "Timestamp",
      "Token",
      "TopicArn",
      "Type",
    ],
    UnsubscribeConfirmation: [
      "Message",
      "MessageId",
      "SubscribeURL",
      "Timestamp",
      "Token",
      "TopicArn",
      "Type",
    ],
  };
  type Message = Record<string, unknown> & { Type: string };

  function signedBy(message: Message, version = "2"): Message {
    const names = signedFields[message.Type as keyof typeof signedFields] ?? [];
    const text = names
      .filter((name) => message[name] !== undefined && message[name] !== null)
      .map((name) => `${name}\n${String(message[name])}\n`)
      .join("");
    const hash = version === "1" ? "RSA-SHA1" : "RSA-SHA256";
    const Signature = sign(hash, Buffer.from(text), certificateKey).toString("base64");
    return { ...message, SignatureVersion: version, Signature };
  }
  const prove = (message: object, { fetchText } = fetching(certificate), settings = sender) =>
    proofOf(settings, aSenderRequest({ body: JSON.stringify(message) }), { now, fetchText });

  test("both versions, with and without a subject, and confirmations", async () => {
    const { Subject: _, ...bare } = notification;
    const messages = [notification, bare, { ...bare, Subject: null }, confirmation];
    for (const message of [...messages, { ...confirmation, Type: "UnsubscribeConfirmation" }])
      for (const version of ["1", "2"]) {
        const fetched = fetching(certificate);
        const proven = await prove(signedBy(message, version), fetched);
        assert.ok(isProven(proven), JSON.stringify(proven));
        assert.deepEqual(proven.delivery, { id: message.MessageId, signed: true });
        assert.equal(proven.event, message.Type);
        assert.deepEqual(fetched.urls, [certUrl]);
      }
  });

  test("any changed field is refused", async () => {
    for (const message of [notification, confirmation])
      for (const name of signedFields[message.Type as keyof typeof signedFields]) {
        const changed: Message = { ...signedBy(message), [name]: `${String((message as Message)[name])}x` };
        assert.ok(!isProven(await prove(changed)), name);
      }
    const { Subject: _, ...without } = signedBy(notification);
    assert.ok(!isProven(await prove(without)));
    assert.ok(!isProven(await prove({ ...signedBy(notification), SignatureVersion: "1" })));
    assert.ok(!isProven(await prove({ ...signedBy(notification), SignatureVersion: "3" })));
    assert.ok(!isProven(await prove({ ...signedBy(notification), Signature: "" })));
  });

  test("a topic that is not ours is refused, before anything is fetched", async () => {
    const fetched = fetching(certificate);
    const foreign = signedBy({ ...notification, TopicArn: "arn:aws:sns:us-west-2:999999999999:Other" });
    assert.deepEqual(await prove(foreign, fetched), { failed: "wrong-secret" });
    assert.deepEqual(fetched.urls, []);
  });

  test("a certificate from elsewhere is not fetched", async () => {
    const fetched = fetching(certificate);
    for (const url of [
      "https://evil.example/SimpleNotificationService-f3.pem",
      "https://sns.us-west-2.amazonaws.com.evil.example/SimpleNotificationService-f3.pem",
      "http://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3.pem",
      "https://sns.us-west-2.amazonaws.com:444/SimpleNotificationService-f3.pem",
      "https://a@sns.us-west-2.amazonaws.com/SimpleNotificationService-f3.pem",
      "https://sns.us-west-2.amazonaws.com/other/SimpleNotificationService-f3.pem",
      "https://sns.us-west-2.amazonaws.com/evil.pem",
      "https://s3.amazonaws.com/SimpleNotificationService-f3.pem",
      "file:///SimpleNotificationService-f3.pem",
      "",
    ])
      assert.deepEqual(await prove({ ...signedBy(notification), SigningCertURL: url }, fetched), {
        failed: "malformed",
      });
    assert.deepEqual(fetched.urls, []);
  });

  test("what is no certificate, and one that is not valid yet, prove nothing", async () => {
    for (const text of ["", "no certificate", certificateKey])
      assert.deepEqual(await prove(signedBy(notification), fetching(text)), { failed: "wrong-secret" });
    const early = Date.UTC(2026, 0, 1);
    const message = signedBy({ ...notification, Timestamp: new Date(early).toISOString() });
    const request = aSenderRequest({ body: JSON.stringify(message) });
    assert.ok(!isProven(await proofOf(sender, request, { now: early, ...fetching(certificate) })));
  });

  test("an hour old is too old", async () => {
    const old = { ...notification, Timestamp: iso(-3_600_001) };
    assert.deepEqual(await prove(signedBy(old)), { failed: "too-old", skewMs: -3_600_001 });
    assert.ok(isProven(await prove(signedBy({ ...notification, Timestamp: iso(-3_600_000) }))));
  });

  test("SNS that cannot be reached is a fault, not a wrong proof", async () => {
    const fetchText = () => Promise.reject(new Error("unreachable"));
    await assert.rejects(prove(signedBy(notification), { fetchText, urls: [] }), /unreachable/);
  });
});

describe("paypal", () => {
  const sender = aSender("paypal", { webhookId: "1JE4291016473214C" });
  const body = '{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}';
  const certUrl = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77";
  const headersFor = (time = iso(), webhookId = "1JE4291016473214C"): Record<string, string> => {
    const text = `b2384410-f8d2-11e4-8bf3-77339302725b|${time}|${webhookId}|${crc32(Buffer.from(body))}`;
    return {
      "PayPal-Transmission-Id": "b2384410-f8d2-11e4-8bf3-77339302725b",
      "PayPal-Transmission-Time": time,
      "PayPal-Transmission-Sig": sign("RSA-SHA256", Buffer.from(text), certificateKey).toString("base64"),
      "PayPal-Cert-Url": certUrl,
      "PayPal-Auth-Algo": "SHA256withRSA",
    };
  };
  const prove = (parts: RequestParts, { fetchText } = fetching(certificate)) =>
    proofOf(sender, aSenderRequest({ body, headers: headersFor(), ...parts }), { now, fetchText });

  test("id, time, webhook and checksum", async () => {
    const proven = await prove({});
    assert.ok(isProven(proven), JSON.stringify(proven));
    assert.deepEqual(proven.delivery, { id: "WH-1", signed: false });
    assert.equal(proven.event, "PAYMENT.CAPTURE.COMPLETED");
  });

  test("anything else is refused", async () => {
    const other: Record<string, string> = {
      "PayPal-Transmission-Id": "b2384410-f8d2-11e4-8bf3-77339302725c",
      "PayPal-Transmission-Time": iso(1000),
      "PayPal-Transmission-Sig": "AAAA",
      "PayPal-Cert-Url": "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1",
      "PayPal-Auth-Algo": "SHA1withRSA",
    };
    for (const [name, value] of Object.entries(other)) {
      assert.ok(!isProven(await prove({ headers: { ...headersFor(), [name]: value } })), name);
      const { [name]: _, ...rest } = headersFor();
      assert.ok(!isProven(await prove({ headers: rest })), name);
      assert.ok(!isProven(await prove({ headers: [...Object.entries(headersFor()), [name, value]] })), name);
    }
    assert.ok(!isProven(await prove({ body: body.replace("COMPLETED", "REFUNDED!") })));
    assert.ok(!isProven(await prove({ headers: headersFor(iso(), "of-another-app") })));
    assert.ok(!isProven(await prove({}, fetching("no certificate"))));
    const old = await prove({ headers: headersFor(iso(-86_401_000)) });
    assert.deepEqual(old, { failed: "too-old", skewMs: -86_401_000 });
  });
});

describe("monday", () => {
  const url = "https://rouse.example/hooks/test";
  const secret = "52ea2ea9aa71c7d4f08ad8ab5da6bb4b";
  const sender = aSender("monday", { secrets: ["an older one", secret], publicUrl: url });
  const body = '{"event":{"type":"create_pulse","triggerUuid":"5d8a"}}';
  type Claims = { aud?: string; exp?: number; key?: string; alg?: string };
  const token = ({ aud = url, exp = seconds + 300, key = secret, alg = "HS256" }: Claims = {}) =>
    new SignJWT({ accountId: 1 })
      .setProtectedHeader({ alg })
      .setIssuedAt(seconds)
      .setAudience(aud)
      .setExpirationTime(exp)
      .sign(Buffer.from(key));
  const prove = (authorization: string) =>
    proofOf(sender, aSenderRequest({ headers: { authorization }, body }), { now });

  test("a token for our address, with either secret", async () => {
    const proven = await prove(await token());
    assert.deepEqual(proven, { secret, event: "create_pulse", delivery: { id: "5d8a", signed: false } });
    assert.ok(isProven(await prove(`Bearer ${await token({ key: "an older one" })}`)));
  });

  test("any other token is refused", async () => {
    for (const claims of [
      { aud: `${url}/other` },
      { exp: seconds - 61 },
      { key: "foreign" },
      { alg: "HS512", key: secret.repeat(2) },
    ])
      assert.deepEqual(await prove(await token(claims)), { failed: "wrong-secret" }, JSON.stringify(claims));
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = part({ aud: url, exp: seconds + 300 });
    assert.ok(!isProven(await prove(`${part({ alg: "none" })}.${claims}.`)));
    const signedPart = `${part({ alg: "HS256" })}.${part({ aud: url })}`;
    const mac = createHmac("sha256", secret).update(signedPart).digest("base64url");
    assert.deepEqual(await prove(`${signedPart}.${mac}`), { failed: "wrong-secret" }, "it never expires");
    for (const written of ["", "Bearer", "abc", `Basic ${await token()}`])
      assert.ok(!isProven(await prove(written)), written);
    const unsigned = await proofOf(sender, aSenderRequest({ body }), { now });
    assert.deepEqual(unsigned, { failed: "header-missing" });
  });
});

describe("google-pubsub", () => {
  const audience = "https://rouse.example/hooks/test";
  const serviceAccountEmail = "push@project.iam.gserviceaccount.com";
  const sender = aSender("google-pubsub", { audience, serviceAccountEmail });
  const body =
    '{"message":{"messageId":"136969346945","attributes":{"eventType":"OBJECT_FINALIZE"},"data":"SGVsbG8="}}';
  const { privateKey, publicKey } = rsaKey("google");
  const keys = async () => {
    const { n, e } = await exportJWK(publicKey);
    return fetching(JSON.stringify({ keys: [{ kid: "one", kty: "RSA", n, e }] }));
  };
  const token = (claims: object = {}, { kid = "one", key = privateKey } = {}) =>
    new SignJWT({
      iss: "https://accounts.google.com",
      aud: audience,
      email: serviceAccountEmail,
      email_verified: true,
      iat: seconds,
      exp: seconds + 3600,
      ...claims,
    })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(key);
  const prove = async (written: string, fetched: Fetched) =>
    proofOf(sender, aSenderRequest({ headers: { authorization: `Bearer ${written}` }, body }), {
      now,
      ...fetched,
    });

  test("a token of the service account for our audience", async () => {
    const fetched = await keys();
    const proven = await prove(await token(), fetched);
    assert.deepEqual(proven, {
      secret: null,
      event: "OBJECT_FINALIZE",
      delivery: { id: "136969346945", signed: false },
    });
    assert.deepEqual(fetched.urls, ["https://www.googleapis.com/oauth2/v3/certs"]);
  });

  test("any other is refused, and a stranger's claims fetch no keys", async () => {
    const fetched = await keys();
    for (const claims of [
      { aud: "https://else.example" },
      { email: "other@project.iam.gserviceaccount.com" },
      { email_verified: false },
      { iss: "https://evil.example" },
      { exp: seconds - 301 },
    ])
      assert.deepEqual(await prove(await token(claims), fetched), { failed: "wrong-secret" });
    assert.deepEqual(fetched.urls, []);
    const foreign = await token({}, { key: rsaKey("foreign").privateKey });
    assert.deepEqual(await prove(foreign, fetched), { failed: "wrong-secret" });
    assert.deepEqual(await prove(await token({}, { kid: "two" }), fetched), { failed: "wrong-secret" });
    assert.deepEqual(await prove("abc", fetched), { failed: "malformed" });
    assert.deepEqual(await proofOf(sender, aSenderRequest({ body }), { now, ...fetched }), {
      failed: "header-missing",
    });
  });
});

describe("microsoft-graph", () => {
  const sender = aSender("microsoft-graph", { secrets: ["new state", "old state"] });
  const item = (clientState: unknown) => ({ subscriptionId: "1", changeType: "created", clientState });
  const prove = (value: unknown) =>
    proofOf(sender, aSenderRequest({ body: JSON.stringify({ value }) }), { now });

  test("the state of every notification is ours", async () => {
    const proven = await prove([item("new state"), item("new state")]);
    assert.ok(isProven(proven));
    assert.equal(proven.event, "created");
    assert.ok(isProven(await prove([item("old state")])));
    assert.ok(isProven(await prove([item("old state"), item("new state")])));
  });

  test("one that is not spoils all", async () => {
    for (const value of [
      [item("new state"), item("other")],
      [item("other"), item("new state")],
      [item("new state"), {}],
      [item(7)],
      [],
      {},
      null,
    ])
      assert.ok(!isProven(await prove(value)), JSON.stringify(value));
  });
});

describe("mailgun", () => {
  const key = "key-0123456789";
  const sender = aSender("mailgun", { secrets: [key] });
  const token = "a".repeat(50);
  const body = (parts: object = {}) => {
    const timestamp = String(seconds);
    const signature = createHmac("sha256", key)
      .update(timestamp + token)
      .digest("hex");
    return JSON.stringify({
      signature: { timestamp, token, signature, ...parts },
      "event-data": { event: "opened" },
    });
  };

  test("a later try, hours after, and the signature of the account above", async () => {
    const later = { now: now + 8 * 3_600_000 };
    assert.ok(isProven(await proofOf(sender, aSenderRequest({ body: body() }), later)));
    const { signature } = JSON.parse(body()) as { signature: { signature: string } };
    const ofSubaccount = { signature: "00".repeat(32), "parent-signature": signature.signature };
    assert.ok(isProven(await proofOf(sender, aSenderRequest({ body: body(ofSubaccount) }), { now })));
    const neither = { signature: "00".repeat(32), "parent-signature": "00".repeat(32) };
    assert.ok(!isProven(await proofOf(sender, aSenderRequest({ body: body(neither) }), { now })));
  });

  test("time and token, and the border between them", async () => {
    const proven = await proofOf(sender, aSenderRequest({ body: body() }), { now });
    assert.deepEqual(proven, { secret: key, event: "opened", delivery: { id: token, signed: true } });
    const time = String(seconds);
    for (const parts of [
      { timestamp: time.slice(0, -1), token: time.slice(-1) + token },
      { timestamp: `${time}a`, token: token.slice(1) },
      { token: "b".repeat(50) },
      { timestamp: String(seconds + 1) },
      { signature: "" },
      { signature: null },
    ])
      assert.ok(
        !isProven(await proofOf(sender, aSenderRequest({ body: body(parts) }), { now })),
        JSON.stringify(parts),
      );
  });
});
