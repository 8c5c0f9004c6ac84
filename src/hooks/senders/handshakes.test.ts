// The questions of every kind, with their answers, and those that must hear none.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import type { SenderConfig } from "../../config/config.ts";
import { aSender, aSenderRequest, type RequestParts, senderKind } from "../../../test/builders/sender.ts";
import { unanswered } from "./ask.ts";
import type { Answer, Handshake, OpenHandshake, Pairing, ProvenHandshake } from "./handshake.ts";
import { senderKinds } from "./kinds/index.ts";

const handshakesOf = (id: string): readonly Handshake[] => senderKind(id).handshakes ?? [];
const isOpen = (handshake: Handshake): handshake is OpenHandshake => !handshake.proven;
const isProven = (handshake: Handshake): handshake is ProvenHandshake => handshake.proven;

const fetchNothing: (url: string) => Promise<string> = async () => "";

type Asking = { settings?: Partial<SenderConfig>; pairing?: Pairing | null };

/** Undefined: it is no question. Null: it is refused. */
async function openAnswer(id: string, parts: RequestParts, { settings = {}, pairing = null }: Asking = {}) {
  const request = aSenderRequest(parts);
  const sender = aSender(id, settings);
  const asked = handshakesOf(id)
    .filter(isOpen)
    .find((each) => each.method === request.method && each.asks(request, sender));
  return asked === undefined ? undefined : asked.answer(request, { settings: sender, pairing });
}

async function provenAnswer(
  id: string,
  parts: RequestParts,
  { secret = "secret", fetchText = fetchNothing } = {},
): Promise<Answer | null | undefined> {
  const request = aSenderRequest(parts);
  const asked = handshakesOf(id)
    .filter(isProven)
    .find((each) => each.asks(request));
  return asked === undefined ? undefined : asked.answer(request, { secret, fetchText });
}

const nosniff = { "X-Content-Type-Options": "nosniff" };
const asText = (body: string): Answer => ({
  status: 200,
  type: "text/plain; charset=utf-8",
  headers: nosniff,
  body,
});
const asJson = (value: object): Answer => ({
  status: 200,
  type: "application/json; charset=utf-8",
  headers: nosniff,
  body: JSON.stringify(value),
});
const json = (value: unknown): RequestParts => ({ body: JSON.stringify(value) });

test("these kinds ask questions, and no others", () => {
  const asking = [...senderKinds.values()].filter(({ handshakes = [] }) => handshakes.length > 0);
  assert.deepEqual(
    asking.map(
      ({ id, handshakes = [] }) =>
        `${id} ${handshakes.map((each) => (isOpen(each) ? each.method : "proven")).join(" ")}`,
    ),
    [
      "asana POST",
      "aws-sns proven",
      "cloudevents OPTIONS",
      "discord proven proven",
      "dropbox GET",
      "meta GET",
      "microsoft-graph POST",
      "monday POST",
      "notion POST",
      "okta GET",
      "slack proven POST",
      "trello HEAD",
      "twitch proven proven",
      "zoom proven",
    ],
  );
});

describe("meta", () => {
  const settings = { verifyToken: "our word" };
  const get = (query: string): RequestParts => ({ method: "GET", target: `/hooks/test?${query}` });

  test("with our verify token, the challenge goes back", async () => {
    const asked = get("hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=our%20word");
    assert.deepEqual(await openAnswer("meta", asked, { settings }), asText("1158201444"));
  });

  for (const query of [
    "hub.mode=subscribe&hub.challenge=1&hub.verify_token=other",
    "hub.mode=subscribe&hub.challenge=1&hub.verify_token=our%20wor",
    "hub.mode=subscribe&hub.challenge=1&hub.verify_token=our%20word%00",
    "hub.mode=subscribe&hub.challenge=1&hub.verify_token=",
    "hub.mode=subscribe&hub.challenge=1",
    "hub.mode=subscribe&hub.verify_token=our%20word",
    "hub.mode=subscribe&hub.challenge=1&hub.challenge=2&hub.verify_token=our%20word",
    "hub.mode=subscribe&hub.challenge=1&hub.verify_token=other&hub.verify_token=our%20word",
    `hub.mode=subscribe&hub.challenge=${"1".repeat(1025)}&hub.verify_token=our%20word`,
  ])
    test(`refused: ${query.slice(0, 90)}`, async () => {
      assert.equal(await openAnswer("meta", get(query), { settings }), null);
    });

  test("without a verify token in the config, nothing is right", async () => {
    const asked = get("hub.mode=subscribe&hub.challenge=1&hub.verify_token=");
    assert.equal(await openAnswer("meta", asked, { settings: { verifyToken: null } }), null);
  });

  test("another mode is no question", async () => {
    assert.equal(await openAnswer("meta", get("hub.mode=other&hub.challenge=1"), { settings }), undefined);
  });
});

describe("challenges that go back", () => {
  test("dropbox", async () => {
    const get = (query: string): RequestParts => ({ method: "GET", target: `/hooks/test${query}` });
    assert.deepEqual(await openAnswer("dropbox", get("?challenge=abc%26%3Cb%3E")), asText("abc&<b>"));
    assert.equal(await openAnswer("dropbox", get(`?challenge=${"a".repeat(1025)}`)), null);
    assert.equal(await openAnswer("dropbox", get(`?challenge=${"%C3%A4".repeat(513)}`)), null);
    assert.equal(await openAnswer("dropbox", get("?challenge=")), null);
    assert.equal(await openAnswer("dropbox", get("?challenge=a&challenge=b")), undefined);
    assert.equal(await openAnswer("dropbox", get("")), undefined);
  });

  test("microsoft-graph", async () => {
    const post = (query: string): RequestParts => ({ target: `/hooks/test${query}` });
    const asked = post("?validationToken=Validation%3A+Testing+client+%C3%A4%3Cscript%3E");
    assert.deepEqual(
      await openAnswer("microsoft-graph", asked),
      asText("Validation: Testing client ä<script>"),
    );
    assert.equal(await openAnswer("microsoft-graph", post(`?validationToken=${"a".repeat(1025)}`)), null);
    assert.equal(await openAnswer("microsoft-graph", { ...json({ value: [] }) }), undefined);
  });

  test("okta", async () => {
    const get = (challenge: string): RequestParts => ({
      method: "GET",
      headers: { "X-Okta-Verification-Challenge": challenge },
    });
    assert.deepEqual(await openAnswer("okta", get("abc")), asJson({ verification: "abc" }));
    assert.equal(await openAnswer("okta", get("a".repeat(1025))), undefined);
    const twice: RequestParts = {
      method: "GET",
      headers: [
        ["x-okta-verification-challenge", "a"],
        ["x-okta-verification-challenge", "b"],
      ],
    };
    assert.equal(await openAnswer("okta", twice), undefined);
    assert.equal(await openAnswer("okta", { method: "GET" }), undefined);
  });

  test("monday: a body that is nothing but a word", async () => {
    const asked = json({ challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd" });
    assert.deepEqual(
      await openAnswer("monday", asked),
      asJson({ challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd" }),
    );
    for (const other of [
      { challenge: "a", event: { type: "create_pulse" } },
      { challenge: "two words" },
      { challenge: "a".repeat(129) },
      { challenge: 7 },
      ["challenge"],
      null,
    ])
      assert.equal(await openAnswer("monday", json(other)), undefined);
  });

  test("slack: a proven url_verification", async () => {
    const asked = json({ token: "t", type: "url_verification", challenge: "3eZbrw1a" });
    assert.deepEqual(await provenAnswer("slack", asked), asJson({ challenge: "3eZbrw1a" }));
    assert.equal(await openAnswer("slack", asked), undefined);
    for (const other of [
      { type: "event_callback", challenge: "a" },
      { type: "url_verification" },
      "text",
      null,
    ])
      assert.equal(await provenAnswer("slack", json(other)), undefined);
  });

  test("twitch: a proven webhook_callback_verification", async () => {
    const headers = { "Twitch-Eventsub-Message-Type": "webhook_callback_verification" };
    const asked = { headers, ...json({ challenge: "pogchamp-kappa-360noscope-vohiyo" }) };
    const answer = await provenAnswer("twitch", asked);
    assert.equal(answer?.body, "pogchamp-kappa-360noscope-vohiyo");
    assert.equal(answer?.type, "text/plain");
    assert.equal(await provenAnswer("twitch", { headers, ...json({}) }), null);
    assert.equal(await provenAnswer("twitch", { headers, ...json({ challenge: "a".repeat(1025) }) }), null);
    assert.equal(await provenAnswer("twitch", json({ challenge: "a" })), undefined);
  });

  test("twitch: a revocation is answered and is no event; an event under its name stays one", async () => {
    const headers = { "Twitch-Eventsub-Message-Type": "revocation" };
    const told = (status: string) => json({ subscription: { type: "channel.follow", status } });
    const revoked = told("authorization_revoked");
    assert.deepEqual(await provenAnswer("twitch", { headers, ...revoked }), { status: 204 });
    assert.equal(await provenAnswer("twitch", { headers, ...told("enabled") }), undefined);
    assert.equal(await provenAnswer("twitch", revoked), undefined);
  });
});

describe("answers without content", () => {
  test("trello: HEAD", async () => {
    assert.deepEqual(await openAnswer("trello", { method: "HEAD" }), { status: 200 });
    assert.equal(await openAnswer("trello", { method: "GET" }), undefined);
  });

  test("slack: ssl_check", async () => {
    assert.deepEqual(await openAnswer("slack", { body: "ssl_check=1&token=abc" }), { status: 200 });
    assert.equal(await openAnswer("slack", { body: "ssl_check=0&command=/do" }), undefined);
  });

  test("discord: pings of interactions and of webhook events", async () => {
    const ping = await provenAnswer("discord", json({ type: 1, id: "1", application_id: "2" }));
    assert.deepEqual(ping, { status: 200, type: "application/json", body: '{"type":1}' });
    const other = await provenAnswer("discord", json({ version: 1, application_id: "1", type: 0 }));
    assert.deepEqual(other, { status: 204, type: "application/json" });
    const event = json({ version: 1, type: 1, event: { type: "APPLICATION_AUTHORIZED" } });
    assert.equal(await provenAnswer("discord", event), undefined);
    assert.equal(await provenAnswer("discord", json({ type: 2 })), undefined);
  });
});

describe("cloudevents", () => {
  const settings = { origins: ["eventemitter.example.com"] };
  const options = (headers: RequestParts["headers"] & {}): RequestParts => ({ method: "OPTIONS", headers });

  test("an origin of the config may send", async () => {
    const asked = options({ "WebHook-Request-Origin": "eventemitter.example.com" });
    assert.deepEqual(await openAnswer("cloudevents", asked, { settings }), {
      status: 200,
      headers: { Allow: "POST", "WebHook-Allowed-Origin": "eventemitter.example.com" },
    });
    const rated = options({
      "WebHook-Request-Origin": "eventemitter.example.com",
      "WebHook-Request-Rate": "120",
    });
    const answer = await openAnswer("cloudevents", rated, { settings });
    assert.equal(answer?.headers?.["WebHook-Allowed-Rate"], "*");
  });

  test("an unknown origin may not, and a callback is never called", async () => {
    for (const origin of ["evil.example", "eventemitter.example.com.evil.example", "", "*"]) {
      const headers = {
        "WebHook-Request-Origin": origin,
        "WebHook-Request-Callback": "http://127.0.0.1/consent",
      };
      assert.equal(await openAnswer("cloudevents", options(headers), { settings }), null);
    }
    const asked = options({ "WebHook-Request-Origin": "eventemitter.example.com" });
    assert.equal(await openAnswer("cloudevents", asked, { settings: { origins: [] } }), null);
    const twice = options([
      ["webhook-request-origin", "eventemitter.example.com"],
      ["webhook-request-origin", "evil.example"],
    ]);
    assert.equal(await openAnswer("cloudevents", twice, { settings }), null);
    assert.equal(await openAnswer("cloudevents", options({}), { settings }), undefined);
  });
});

describe("keys that arrive by request", () => {
  const window = (isOpen = true) => {
    const taken: string[] = [];
    const take = async (secret: string) => {
      const isTaken = isOpen && taken.length === 0;
      if (isTaken) taken.push(secret);
      return isTaken;
    };
    return { pairing: { take }, taken };
  };
  const notion = json({ verification_token: "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl" });
  const asana: RequestParts = {
    headers: { "X-Hook-Secret": "b537207f20cbfa02357cf448134da559" },
    body: "{}",
  };

  test("outside of pairing, they are refused", async () => {
    assert.equal(await openAnswer("notion", notion), null);
    assert.equal(await openAnswer("asana", asana), null);
  });

  test("a key that nobody waited for is not-paired, another question without an answer malformed", () => {
    assert.deepEqual(unanswered(senderKinds.get("notion")!), { failed: "not-paired" });
    assert.deepEqual(unanswered(senderKinds.get("asana")!), { failed: "not-paired" });
    assert.deepEqual(unanswered(senderKinds.get("meta")!), { failed: "malformed" });
  });

  test("while pairing, the first is taken, and no other", async () => {
    const { pairing, taken } = window();
    assert.deepEqual(await openAnswer("notion", notion, { pairing }), { status: 200 });
    const other = json({ verification_token: "secret_of_a_stranger" });
    assert.equal(await openAnswer("notion", other, { pairing }), null);
    assert.deepEqual(taken, ["secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"]);
  });

  test("Asana hears its secret again, but only where it was taken", async () => {
    const { pairing } = window();
    assert.deepEqual(await openAnswer("asana", asana, { pairing }), {
      status: 200,
      headers: { "X-Hook-Secret": "b537207f20cbfa02357cf448134da559" },
    });
    assert.equal(await openAnswer("asana", asana, { pairing: window(false).pairing }), null);
  });

  test("what cannot be a key is no question", async () => {
    const { pairing, taken } = window();
    for (const token of ["", "short", "a b c d e f g h", "a".repeat(201), 7, null])
      assert.equal(await openAnswer("notion", json({ verification_token: token }), { pairing }), undefined);
    for (const secret of ["", "short", "a".repeat(201), "two words here", "schlüssel"])
      assert.equal(
        await openAnswer("asana", { headers: { "x-hook-secret": secret } }, { pairing }),
        undefined,
      );
    const headers = [
      ["x-hook-secret", "b537207f20cbfa02"],
      ["x-hook-secret", "357cf448134da559"],
    ] as const;
    assert.equal(await openAnswer("asana", { headers }, { pairing }), undefined);
    assert.deepEqual(taken, []);
  });
});

describe("zoom", () => {
  const asks = (plainToken: unknown, event = "endpoint.url_validation") =>
    json({ event, payload: { plainToken } });

  test("a proven question hears the hash of its word", async () => {
    const encryptedToken = createHmac("sha256", "secret").update("qgg8vlvZRS6UYooatFL8Aw").digest("hex");
    const answer = await provenAnswer("zoom", asks("qgg8vlvZRS6UYooatFL8Aw"));
    assert.deepEqual(answer, asJson({ plainToken: "qgg8vlvZRS6UYooatFL8Aw", encryptedToken }));
  });

  test("what could be a signed text is refused", async () => {
    for (const token of [
      'v0:1531420618:{"event":"meeting.started"}',
      "v0:1",
      "two words",
      "",
      "a".repeat(129),
    ])
      assert.equal(await provenAnswer("zoom", asks(token)), null);
  });

  test("other events are no questions, and none is answered without a proof", async () => {
    assert.equal(await provenAnswer("zoom", asks("a", "meeting.started")), undefined);
    assert.equal(await provenAnswer("zoom", asks(7)), undefined);
    assert.equal(await openAnswer("zoom", asks("qgg8vlvZRS6UYooatFL8Aw")), undefined);
  });
});

describe("aws-sns", () => {
  const asks = (SubscribeURL: unknown) =>
    json({ Type: "SubscriptionConfirmation", Token: "t", SubscribeURL });
  const fetched = () => {
    const urls: string[] = [];
    return { urls, fetchText: async (url: string) => `${urls.push(url)}` };
  };

  test("a proven confirmation is confirmed at the address of SNS", async () => {
    const { urls, fetchText } = fetched();
    const url = "https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn&Token=t";
    assert.deepEqual(await provenAnswer("aws-sns", asks(url), { fetchText }), { status: 200 });
    assert.deepEqual(urls, [url]);
  });

  test("no other address is asked", async () => {
    const { urls, fetchText } = fetched();
    for (const url of [
      "http://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription",
      "https://sns.us-west-2.amazonaws.com.evil.example/",
      "https://evil.example/sns.us-west-2.amazonaws.com/",
      "https://sns.us-west-2.amazonaws.com:8443/",
      "https://user@sns.us-west-2.amazonaws.com/",
      "https://sns.us-west-2.amazonaws.com/other",
      "https://169.254.169.254/",
      "",
      7,
    ])
      assert.equal(await provenAnswer("aws-sns", asks(url), { fetchText }), null);
    assert.deepEqual(urls, []);
  });

  test("SNS that cannot be reached is a fault, so that it tries again", async () => {
    const fetchText = () => Promise.reject(new Error("unreachable"));
    const url = "https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription";
    await assert.rejects(provenAnswer("aws-sns", asks(url), { fetchText }), /unreachable/);
  });

  test("a notification is no question", async () => {
    assert.equal(await provenAnswer("aws-sns", json({ Type: "Notification" })), undefined);
  });
});

test("what needs no proof is answered alike whatever the secret is: nobody learns a signature", async () => {
  const asked: [string, RequestParts][] = [
    ["dropbox", { method: "GET", target: "/hooks/test?challenge=abc" }],
    ["meta", { method: "GET", target: "/hooks/test?hub.mode=subscribe&hub.challenge=1&hub.verify_token=v" }],
    ["microsoft-graph", { target: "/hooks/test?validationToken=abc" }],
    ["monday", json({ challenge: "abc" })],
    ["okta", { method: "GET", headers: { "x-okta-verification-challenge": "abc" } }],
    ["slack", { body: "ssl_check=1" }],
    ["trello", { method: "HEAD" }],
    ["cloudevents", { method: "OPTIONS", headers: { "webhook-request-origin": "a.example" } }],
    ["notion", json({ verification_token: "secret_abcdefgh" })],
    ["asana", { headers: { "x-hook-secret": "secret_abcdefgh" } }],
  ];
  const open = [...senderKinds.values()].filter(({ handshakes = [] }) => handshakes.some(isOpen));
  assert.deepEqual(asked.map(([id]) => id).toSorted(), open.map(({ id }) => id).toSorted());
  for (const [id, parts] of asked) {
    const settings = { verifyToken: "v", origins: ["a.example"] };
    const answers = ["one", "two"].map((secret) =>
      openAnswer(id, parts, { settings: { ...settings, secrets: [secret] } }),
    );
    const [one, two] = await Promise.all(answers);
    assert.notEqual(one, undefined);
    assert.deepEqual(one, two);
  }
});
