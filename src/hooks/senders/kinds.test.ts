// What single kinds make of their requests beside the proof.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import {
  aSender,
  aSenderRequest,
  isProven,
  proofOf,
  type RequestParts,
} from "../../../test/builders/sender.ts";

const now = Date.UTC(2026, 10, 19, 12);

describe("ids of deliveries", () => {
  const bearer = { Authorization: "Bearer secret" };
  const deliveryOf = async (kind: string, parts: RequestParts) => {
    const proven = await proofOf(aSender(kind, { secrets: ["secret"] }), aSenderRequest(parts), { now });
    assert.ok(isProven(proven), JSON.stringify(proven));
    return proven.delivery?.id ?? null;
  };

  test("cloudevents: one source's ids are not another's", async () => {
    const binary = (source: string) => ({ headers: { ...bearer, "ce-id": "1", "ce-source": source } });
    assert.equal(await deliveryOf("cloudevents", binary("/a")), "/a 1");
    assert.equal(await deliveryOf("cloudevents", binary("/b")), "/b 1");
    const body = '{"specversion":"1.0","id":"1","source":"/a","type":"t"}';
    assert.equal(await deliveryOf("cloudevents", { headers: bearer, body }), "/a 1");
  });

  test("gitlab: the id that recursive events share is none", async () => {
    const headers = { "X-Gitlab-Token": "secret", "X-Gitlab-Event-UUID": "13792a34" };
    assert.equal(await deliveryOf("gitlab", { headers }), null);
    const keyed = { ...headers, "Idempotency-Key": "f5e5f430" };
    assert.equal(await deliveryOf("gitlab", { headers: keyed }), "f5e5f430");
  });

  test("box: the id of the event, which is the same at each try", async () => {
    const body = '{"type":"webhook_event","id":"eb0c4e06","trigger":"FILE.UPLOADED"}';
    const time = new Date(now).toISOString();
    const headers = {
      "BOX-DELIVERY-ID": "673a081b",
      "BOX-DELIVERY-TIMESTAMP": time,
      "BOX-SIGNATURE-PRIMARY": createHmac("sha256", "secret")
        .update(body + time)
        .digest("base64"),
    };
    assert.equal(await deliveryOf("box", { headers, body }), "eb0c4e06");
  });
});

describe("why a proof failed", () => {
  const headers = {
    "x-slack-signature": `v0=${"0".repeat(64)}`,
    "x-slack-request-timestamp": String(now / 1000),
  };
  const sender = aSender("slack", { secrets: ["8f742231b10e8888abcd99yyyzzz85a5"] });
  const failure = async (parts: RequestParts) => {
    const result = await proofOf(sender, aSenderRequest(parts), { now });
    return isProven(result) ? null : result.failed;
  };

  test("a missing time is a missing header, a garbled one is malformed", async () => {
    const { "x-slack-request-timestamp": _, ...timeless } = headers;
    assert.equal(await failure({ headers: timeless }), "header-missing");
    assert.equal(await failure({}), "header-missing");
    assert.equal(
      await failure({ headers: { ...headers, "x-slack-request-timestamp": "soon" } }),
      "malformed",
    );
    assert.equal(await failure({ headers: { ...headers, "x-slack-signature": "v1=00" } }), "malformed");
    assert.equal(await failure({ headers }), "wrong-secret");
  });

  test("with several schemes, the one that came furthest tells why", async () => {
    const at = String(now / 1000 - 600);
    const signature = createHmac("sha256", "secret").update(`${at}:{}`).digest("hex");
    const timed = { "x-grafana-alerting-signature": signature, "x-grafana-alerting-signature-timestamp": at };
    const request = aSenderRequest({ headers: timed, body: "{}" });
    const old = await proofOf(aSender("grafana", { secrets: ["secret"] }), request, { now });
    assert.deepEqual(old, { failed: "too-old", skewMs: -600_000 });
  });
});

test("a password is told by itself, not as the header that it became", async () => {
  const authorization = `Basic ${Buffer.from("user:password").toString("base64")}`;
  const sender = aSender("basic", { secrets: ["user:other", "user:password"] });
  const proven = await proofOf(sender, aSenderRequest({ headers: { authorization } }), { now });
  assert.ok(isProven(proven));
  assert.equal(proven.secret, "user:password");
});
