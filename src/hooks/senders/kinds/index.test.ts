// The table is complete, and each row says what it must.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import type { Covered, Part, Scheme, SenderKind } from "../kind.ts";
import type { Place } from "../place.ts";
import { senderKinds } from "./index.ts";

const kinds = [...senderKinds.values()];

const names = `github gitlab gitea bitbucket jira stripe slack shopify linear sentry pagerduty meta telegram notion zoom
  dropbox typeform calendly intercom hubspot vercel standard-webhooks svix clerk resend openai paddle square zendesk
  docusign box asana trello okta grafana alertmanager datadog eventbridge cloudevents mailgun discord sendgrid twitch
  twilio circleci buildkite customerio aws-sns google-pubsub microsoft-graph adyen monday paypal token basic custom`;

/** They are described on pages of ours. */
const own = new Set(["token", "basic", "custom"]);

const messageOf = ({ proof }: Scheme): readonly Part[] => ("message" in proof ? proof.message : []);
const isCode = ({ proof }: Scheme): boolean => proof.kind === "code";
const placesOf = (kind: SenderKind): Place[] =>
  [
    kind.event,
    ...kind.schemes.flatMap(({ delivery, time, proof }) => [
      delivery,
      time && { at: [time.at] },
      "at" in proof ? { at: proof.at } : undefined,
    ]),
  ].flatMap((each) => each?.at ?? []);

test("all kinds are there, and no others", () => {
  assert.deepEqual([...senderKinds.keys()].toSorted(), names.split(/\s+/).toSorted());
  assert.equal(new Set(kinds.map(({ label }) => label)).size, kinds.length);
});

test("each kind is a file of its name", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((name) => !name.includes("index."));
  const expected = [...senderKinds.keys()].filter((id) => id !== "custom").map((id) => `${id}.ts`);
  assert.deepEqual(files.toSorted(), expected.toSorted());
});

/** Whether the proof covers what stands there. */
function covers(scheme: Scheme, place: Place): boolean {
  const message = messageOf(scheme);
  const isPart = message.some(
    (part) =>
      typeof part === "object" && "value" in part && JSON.stringify(part.value) === JSON.stringify(place),
  );
  if ("header" in place) return isPart;
  if ("query" in place)
    return isPart || message.some((part) => typeof part === "string" && part.includes("url"));
  const isWhole =
    message.includes("body") || message.includes("sorted-form") || scheme.bodyHash !== undefined;
  return isPart || isWhole;
}

function assertCovered(schemes: readonly Scheme[], covered: Covered | undefined, what: string): void {
  if (covered === undefined) return;
  const judged = schemes.filter((scheme) => !isCode(scheme));
  const isSigned = judged.every((scheme) => covered.at.every((place) => covers(scheme, place)));
  if (judged.length > 0) assert.equal(covered.signed, isSigned, what);
}

for (const kind of kinds)
  describe(kind.id, () => {
    const { describe: words, secret, schemes } = kind;

    test("says what it checks, how it retries, and how it is set up", () => {
      const sentences = [words.checks, words.retries, ...words.setUp];
      for (const sentence of [
        ...sentences,
        ...(words.doesNotCheck === undefined ? [] : [words.doesNotCheck]),
      ])
        assert.match(sentence, /^\S.*\S$/s);
      for (const sentence of [words.checks, words.retries]) assert.match(sentence, /\.$/);
      assert.match(words.setUp.join(" "), /ADDRESS|address/);
      if (secret.from === "us" && kind.id !== "custom") assert.match(words.setUp.join(" "), /SECRET/);
      assert.ok(secret.where.trim() !== "" && kind.label.trim() !== "");
      assert.doesNotMatch(secret.where, /\.$/, "it ends a sentence of ours");
    });

    test("names its documentation", () => {
      if (own.has(kind.id)) return assert.match(words.docs, /^[a-z-]+\.md(?:#[a-z-]+)?$/);
      assert.ok(URL.canParse(words.docs) && words.docs.startsWith("https://"), words.docs);
    });

    test("does not call covered what is not", () => {
      for (const scheme of schemes) assertCovered([scheme], scheme.delivery, "delivery");
      // The event is one for all schemes: what one of them does not cover is not.
      assertCovered(schemes, kind.event, "event");
    });

    test("names headers in lower case, and time where it is signed", () => {
      for (const place of placesOf(kind))
        if ("header" in place) assert.equal(place.header, place.header.toLowerCase());
      for (const scheme of schemes)
        if (messageOf(scheme).includes("time")) assert.ok(scheme.time !== undefined, "a time is signed");
    });

    test("asks for the settings that its proof needs", () => {
      const needsUrl = schemes.some((scheme) =>
        messageOf(scheme).some((part) => typeof part === "string" && part.includes("url")),
      );
      if (needsUrl) assert.ok(kind.needs?.publicUrl !== undefined, "publicUrl");
      const isKeyed = schemes.length > 0 && schemes.every(({ proof }) => proof.kind === "public-key");
      assert.equal(secret.from === "public-key", isKeyed);
    });

    test("tells when a repeat cannot be seen", () => {
      const isPlain = schemes.every(({ proof }) => proof.kind === "equal" || proof.kind === "basic");
      if (isPlain && schemes.length > 0)
        assert.equal(kind.replay, "none", "equal bodies are honest where nothing is signed");
      if (isPlain && schemes.length > 0) assert.ok(words.doesNotCheck !== undefined);
      const isTimed = schemes.every(({ time, delivery }) => time !== undefined || delivery?.signed === true);
      if (!isTimed && schemes.some((scheme) => !isCode(scheme)))
        assert.ok(words.doesNotCheck !== undefined, "no time");
    });
  });
