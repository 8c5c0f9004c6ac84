// Properties of the engine over the table: what was signed is proven, and no change of it is.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { aSenderConfig } from "../../../test/builders/sender-row.ts";
import { cases } from "../../../test/support/cases.ts";
import type { SenderKind } from "./kind.ts";
import { senderKinds } from "./kinds/index.ts";
import { senderRequest } from "./request.ts";
import { signRequest } from "./sign.ts";
import { createVerifier } from "./verify.ts";

const now = Date.UTC(2026, 10, 19, 12);
const secrets: Readonly<Record<string, readonly [string, string]>> = {
  stripe: ["whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM", "whsec_YW5vdGhlciBzZWNyZXQ"],
  "standard-webhooks": ["whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM=", "whsec_YW5vdGhlciBzZWNyZXQ="],
  gitlab: ["whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM=", "whsec_YW5vdGhlciBzZWNyZXQ="],
  slack: ["8f742231b10e8888abcd990c0ffee85a", "00742231b10e8888abcd990c0ffee85a"],
  github: ["a secret", "another"],
  linear: ["a secret", "another"],
};
const kinds = Object.keys(secrets).map((id) => senderKinds.get(id)!);
const settingsOf = (kind: SenderKind, list: readonly string[] = [secrets[kind.id]![0]]) =>
  aSenderConfig({ kind: kind.id, secrets: [...list] });

const deps = (kind: SenderKind) => ({
  now,
  settings: settingsOf(kind),
  fetchText: () => Promise.reject(new Error("nothing is fetched here")),
});

type Sent = { headers: Readonly<Record<string, string>>; body: Buffer };

async function isProven(
  kind: SenderKind,
  { headers, body }: Sent,
  list?: readonly string[],
): Promise<boolean> {
  const head = { method: "POST", target: "/hooks/x", rawHeaders: Object.entries(headers).flat() };
  const verifier = createVerifier(kind, settingsOf(kind, list));
  const proven = await verifier.prove(senderRequest(head, body), deps(kind));
  // What the head alone shows must never be refused where the whole request is proven.
  if (!("failed" in proven)) assert.equal(verifier.checkHead(head, now), null);
  return !("failed" in proven);
}

function signed(kind: SenderKind, text: string, secret = secrets[kind.id]![0]): Sent {
  const body = Buffer.from(JSON.stringify({ webhookTimestamp: now, text }));
  const unsigned = { method: "POST", target: "/hooks/x", headers: {}, body };
  const input = { now, deliveryId: "delivery-1" };
  const headers = signRequest(kind, settingsOf(kind, [secret]), unsigned, input);
  assert.ok(headers);
  return { headers, body };
}

const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  const bit = at % (8 * copy.length);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
};

/** Headers that a kind does not sign. */
const unsignedHeaders = new Set(["x-github-delivery", "linear-delivery"]);

for (const kind of kinds)
  describe(`the proof of ${kind.id}`, () => {
    test("proves what was signed, and nothing with a bit of its body changed", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary" }), fc.nat(), async (text, at) => {
          const sent = signed(kind, text);
          assert.equal(await isProven(kind, sent), true);
          assert.equal(await isProven(kind, { ...sent, body: flipped(sent.body, at) }), false);
        }),
        cases(60),
      );
    });

    test("proves nothing with a bit of its signature, time or signed id changed", async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), async (which, at) => {
          const sent = signed(kind, "text");
          const names = Object.keys(sent.headers).filter((name) => !unsignedHeaders.has(name));
          const name = names[which % names.length]!;
          const before = sent.headers[name]!;
          const after = flipped(Buffer.from(before, "latin1"), at).toString("latin1");
          // Digits of hex mean the same in either case.
          fc.pre(after.toLowerCase() !== before.toLowerCase());
          assert.equal(await isProven(kind, { ...sent, headers: { ...sent.headers, [name]: after } }), false);
        }),
        cases(120),
      );
    });

    test("proves nothing whose header stands twice, even with the same value", async () => {
      const sent = signed(kind, "text");
      for (const name of Object.keys(sent.headers)) {
        if (unsignedHeaders.has(name)) continue;
        const twice = { ...sent.headers, [name.toUpperCase()]: sent.headers[name]! };
        assert.equal(await isProven(kind, { ...sent, headers: twice }), false, name);
      }
    });

    test("proves by each of the secrets, in any order, and by no other", async () => {
      const [one, other] = secrets[kind.id]!;
      const byOther = signed(kind, "text", other);
      assert.equal(await isProven(kind, byOther, [one]), false);
      for (const list of [
        [one, other],
        [other, one],
      ])
        assert.equal(await isProven(kind, byOther, list), true);
    });

    test("proves nothing after a shift of the borders between its signed parts", async () => {
      const time = kind.schemes[0]!.time?.at;
      if (time === undefined || !("header" in time) || "list" in time) return;
      const separator = kind.id === "slack" ? ":" : ".";
      const sent = signed(kind, `${separator}${now / 1000}${separator}x`);
      const id = sent.headers["webhook-id"];
      const all = [...(id === undefined ? [] : [id]), sent.headers[time.header]!, sent.body.toString()];
      const pieces = all.join(separator).split(separator);
      let tried = 0;
      for (let from = 0; from < pieces.length - 1; from++)
        for (let to = from + 1; to < pieces.length; to++) {
          const [before, middle, after] = [pieces.slice(0, from), pieces.slice(from, to), pieces.slice(to)];
          if ((id === undefined) !== (before.length === 0)) continue;
          const shifted = [before, middle, after].map((each) => each.join(separator));
          const body = Buffer.from(shifted[2]!);
          if (body.equals(sent.body)) continue;
          const headers: Record<string, string> = {
            ...sent.headers,
            [time.header]: shifted[1]!,
            ...(id && { "webhook-id": shifted[0]! }),
          };
          tried++;
          assert.equal(await isProven(kind, { headers, body }), false);
        }
      assert.ok(tried > 0);
    });
  });

test("a request can never choose a weaker scheme than its secret's", async () => {
  const gitlab = senderKinds.get("gitlab")!;
  const [secret] = secrets["gitlab"]!;
  const sent = { headers: { "x-gitlab-token": secret }, body: Buffer.from("{}") };
  assert.equal(await isProven(gitlab, sent), false);
});
