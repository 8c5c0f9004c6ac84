// Requests that the senders themselves publish as examples: each is accepted, and refused when its body is changed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aSender, aSenderRequest, isProven, proofOf } from "../../../test/builders/sender.ts";
import { vectors } from "../../../test/fixtures/senders/vectors.ts";

describe("published examples", () => {
  for (const { kind, title, settings, request, now, delivery, event, change } of vectors) {
    const sender = aSender(kind, settings);
    const time = now === undefined ? Date.UTC(2026, 10, 19) : Date.parse(now);

    test(`${kind}: ${title}`, async () => {
      const proven = await proofOf(sender, aSenderRequest(request), { now: time });
      assert.ok(isProven(proven), JSON.stringify(proven));
      if (delivery !== undefined) assert.equal(proven.delivery?.id, delivery);
      if (event !== undefined) assert.equal(proven.event, event);
    });

    test(`${kind}: ${title}, changed`, async () => {
      const [from, to] = change ?? [/[A-Za-z]{3}/, "xyz"];
      const body = String(request.body).replace(from, to);
      assert.notEqual(body, request.body);
      const result = await proofOf(sender, aSenderRequest({ ...request, body }), { now: time });
      assert.ok(!isProven(result));
    });
  }
});
