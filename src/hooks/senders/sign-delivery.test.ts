import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { senderKinds } from "./kinds/index.ts";
import { senderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { eventHeader, signDelivery } from "./sign-delivery.ts";
import { createVerifier, describeRequest } from "./verify.ts";

const now = Date.UTC(2026, 10, 19, 12);

const settingsOf = (secret: string): SenderSettings => ({
  name: "test",
  secrets: [secret],
  publicKeys: [],
  publicUrl: "https://rouse.example/hooks/test",
  verifyToken: null,
  origins: [],
  topicArns: [],
  audience: null,
  serviceAccountEmail: null,
  webhookId: null,
  header: null,
  toleranceSeconds: null,
});

const adyenItem = (more: object = {}) => ({
  NotificationRequestItem: {
    pspReference: "7914073381342284",
    merchantAccountCode: "Lighthouse",
    merchantReference: "order:318",
    amount: { value: 1130, currency: "EUR" },
    eventCode: "AUTHORISATION",
    success: "true",
    ...more,
  },
});

const unreachable = () => Promise.reject(new Error("nothing is fetched here"));

describe("a signature inside of the body is made and verified by the same row", () => {
  const cases = [
    {
      id: "mailgun",
      secret: "a secret of the tests",
      payload: { "event-data": { event: "failed", id: 7 }, signature: { token: "old" } },
    },
    {
      id: "adyen",
      secret: "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056",
      payload: { live: "false", notificationItems: [adyenItem(), adyenItem({ eventCode: "CAPTURE" })] },
    },
  ];
  for (const { id, secret, payload } of cases)
    test(id, async () => {
      const kind = senderKinds.get(id)!;
      const settings = settingsOf(secret);
      const text = JSON.stringify(payload).replace('"id":7', '"id":12345678901234567890');
      const unsigned = { method: "POST", target: "/hooks/test", headers: {}, body: Buffer.from(text) };
      const made = signDelivery(kind, settings, unsigned, { now, deliveryId: "delivery-1" });
      assert.ok(made);
      if (id === "mailgun") assert.match(made.body.toString(), /12345678901234567890/, "other bytes stay");
      const verifier = createVerifier(kind, settings);
      const head = { ...unsigned, rawHeaders: Object.entries(made.headers).flat() };
      const deps = { now, settings, fetchText: unreachable };
      const proven = await verifier.prove(senderRequest(head, made.body), deps);
      assert.ok(!("failed" in proven), JSON.stringify(proven));
      const unproven = await verifier.prove(senderRequest(head, unsigned.body), deps);
      assert.ok("failed" in unproven);
    });
});

test("kinds that only the sender can sign are not signed", () => {
  for (const id of ["discord", "sendgrid", "aws-sns", "google-pubsub", "paypal", "monday"]) {
    const unsigned = { method: "POST", target: "/", headers: {}, body: Buffer.from("{}") };
    const made = signDelivery(senderKinds.get(id)!, settingsOf("secret"), unsigned, { now, deliveryId: "d" });
    assert.equal(made, null, id);
  }
});

test("the event goes into its header, where a header names it", () => {
  const github = senderKinds.get("github")!;
  assert.deepEqual(eventHeader(github, "issues.opened"), { "x-github-event": "issues" });
  assert.deepEqual(eventHeader(senderKinds.get("shopify")!, "orders/create.v2"), {
    "x-shopify-topic": "orders/create.v2",
  });
  assert.equal(eventHeader(senderKinds.get("stripe")!, "invoice.paid"), null);
  assert.equal(eventHeader(senderKinds.get("token")!, "x"), null);
  const request = senderRequest(
    { method: "POST", target: "/", rawHeaders: ["X-GitHub-Event", "issues", "X-GitHub-Delivery", "d-1"] },
    Buffer.from('{"action":"opened"}'),
  );
  assert.deepEqual(describeRequest(github, request), { event: "issues.opened", delivery: "d-1" });
});

test("of a form whose field is the payload, the event stands in that field", () => {
  const body = Buffer.from(new URLSearchParams({ payload: '{"action":"opened"}' }).toString());
  const rawHeaders = ["X-GitHub-Event", "issues"];
  const request = senderRequest({ method: "POST", target: "/hooks/github", rawHeaders }, body);
  assert.equal(describeRequest(senderKinds.get("github")!, request).event, "issues.opened");
});
