import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import test from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { createConfig, createStoredHome, hookToken, json } from "../../../test/fixtures/command-line.ts";
import { startRecordingServer } from "../../../test/fixtures/recording-server.ts";

const secret = "a secret of the tests";
const oktaSecret = "another secret of the tests";
const twilioToken = "0123456789abcdef0123456789abcdef";
const senders = {
  github: { kind: "github", secret },
  stripe: { kind: "stripe", secret: "whsec_of_the_tests" },
  twilio: { kind: "twilio", secret: twilioToken, publicUrl: "https://h.example.com/hooks/twilio" },
  aws: { kind: "aws-sns", topicArns: ["arn:aws:sns:eu-central-1:123456789012:x"] },
  okta: { kind: "okta", secret: oktaSecret },
};
const mappings = Object.keys(senders).map((path) => ({ match: { path }, messageTemplate: "x" }));
const config = { hooks: { enabled: true, token: hookToken, senders, mappings } };
const ok = { ok: true };

const hmac = (hash: string, key: string, text: string) => createHmac(hash, key).update(text);

test("a sender's hook gets the body signed as the sender would, with event and a fresh id, and no token", async (t) => {
  const { folder, rouse } = createConfig(t, config);
  const { url, seen } = await startRecordingServer(t, 200, ok);
  const file = join(folder, "issue.json");
  writeFileSync(file, '{ "action":"opened" }');
  const sent = await rouse(["send", "github", "--file", file, "--event", "issues.opened", "--url", url]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stdout, /Sent as GitHub would, event issues\.opened, delivery [0-9a-f-]{36}: taken/);
  await rouse([
    "send",
    "github",
    "--file",
    file,
    "--event",
    "issues.opened",
    "--delivery",
    "d-1",
    "--url",
    url,
  ]);
  const [first, second] = seen;
  assert.equal(first?.body, '{ "action":"opened" }');
  assert.equal(
    first.headers["x-hub-signature-256"],
    `sha256=${hmac("sha256", secret, first.body).digest("hex")}`,
  );
  assert.equal(first.headers["x-github-event"], "issues");
  assert.equal(first.headers.authorization, undefined);
  assert.equal(second?.headers["x-github-delivery"], "d-1");
  const shown = json(
    await rouse(["send", "github", "--file", file, "--event", "issues.opened", "--url", url, "--json"]),
  );
  assert.deepEqual(
    { ...(shown as object), delivery: "…" },
    { ok: true, status: 200, event: "issues.opened", delivery: "…" },
  );
});

test("times, forms, addresses and bare keys are signed as their senders do", async (t) => {
  const { rouse } = createConfig(t, config);
  const { url, seen } = await startRecordingServer(t, 200, ok);
  const send = (name: string, body: string) =>
    rouse(["send", name, "--file", "-", "--url", url], { readInput: async () => body });
  for (const [name, body] of [
    ["stripe", '{"id":"evt_1","type":"invoice.paid"}'],
    ["twilio", "From=%2B49&Body=Hi"],
    ["okta", '{"eventId":"1"}'],
  ] as const) {
    const sent = await send(name, body);
    assert.equal(sent.code, 0, sent.stderr);
  }
  const [stripe, twilio, okta] = seen;
  const [, time = "", signature] =
    /^t=(\d+),v1=(\w+)$/.exec(String(stripe?.headers["stripe-signature"])) ?? [];
  assert.equal(signature, hmac("sha256", "whsec_of_the_tests", `${time}.${stripe?.body}`).digest("hex"));
  assert.equal(twilio?.headers["content-type"], "application/x-www-form-urlencoded");
  const signed = "https://h.example.com/hooks/twilioBodyHiFrom+49";
  assert.equal(twilio?.headers["x-twilio-signature"], hmac("sha1", twilioToken, signed).digest("base64"));
  assert.equal(okta?.headers.authorization, oktaSecret);
});

test("--fresh makes a new delivery of the same file: another id, wherever it stands, and other signed bytes", async (t) => {
  const { folder, rouse } = createConfig(t, config);
  const { url, seen } = await startRecordingServer(t, 200, ok);
  const headers = join(folder, "headers.txt");
  writeFileSync(headers, "X-GitHub-Delivery: old-id\nX-GitHub-Event: push\n");
  const body = '{"id":"evt_1","big":12345678901234567890}';
  const send = (name: string, ...more: string[]) =>
    rouse(["send", name, "--file", "-", ...more, "--url", url], { readInput: async () => body });
  await send("github", "--headers", headers);
  for (let time = 0; time < 2; time++) await send("github", "--headers", headers, "--fresh");
  await send("stripe", "--fresh");
  const [asItIs, first, second, stripe] = seen;
  assert.deepEqual([asItIs?.body, asItIs?.headers["x-github-delivery"]], [body, "old-id"]);
  const ids = [first, second].map((each) => each?.headers["x-github-delivery"]);
  assert.equal(new Set(["old-id", ...ids]).size, 3);
  assert.notEqual(first?.body, second?.body);
  assert.equal(first?.body.trimEnd(), body);
  assert.match(stripe?.body ?? "", /^\{"id":"[0-9a-f-]{36}","big":12345678901234567890\}\s+$/);
  for (const each of [first, second])
    assert.equal(
      each?.headers["x-hub-signature-256"],
      `sha256=${hmac("sha256", secret, each?.body ?? "").digest("hex")}`,
    );
});

test("what cannot be sent as the sender would is refused before anything is sent", async (t) => {
  const { rouse } = createConfig(t, config);
  const { url, seen } = await startRecordingServer(t, 200, ok);
  const refusals: [argv: string[], body: string, says: RegExp, code: number][] = [
    [
      ["aws"],
      "{}",
      /proven by a key or a token that only Amazon SNS has.*rouse explain aws --payload FILE/,
      1,
    ],
    [
      ["stripe", "--event", "x"],
      '{"type":"invoice.paid"}',
      /would be invoice\.paid, not x: stripe names it in type/,
      2,
    ],
    [
      ["github", "--event", "issues.closed"],
      '{"action":"opened"}',
      /would be issues\.opened, not issues\.closed/,
      2,
    ],
    [["okta", "--delivery", "d"], "{}", /stands in its body \(eventId\)/, 2],
    [["github", "--idempotency-key", "k"], "{}", /use --delivery ID/, 2],
    [["build", "--event", "x"], "{}", /are for senders, and hooks\.senders has no build/, 2],
    [["twilio", "--header", "Content-Type: text/plain", "--event", "x"], "A=b", /would be missing, not x/, 2],
  ];
  for (const [[name = "", ...more], body, says, code] of refusals) {
    const refused = await rouse(["send", name, "--file", "-", ...more, "--url", url], {
      readInput: async () => body,
    });
    assert.equal(refused.code, code, refused.stdout + refused.stderr);
    assert.match(refused.stderr, says);
  }
  assert.deepEqual(seen, []);
});

test("a refused proof says where to look", async (t) => {
  const { rouse } = createConfig(t, config);
  const refusal = { ok: false, error: "The token is missing or wrong.", code: "unauthorized" };
  const { url } = await startRecordingServer(t, 401, refusal);
  const refused = await rouse(["send", "github", "--file", "-", "--url", url], {
    readInput: async () => "{}",
  });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^The proof was refused \(401\)\..*rouse senders/);
});

test("--wait prints the replies of the runs that a delivery led to, though the sender hears no ids", async (t) => {
  const { rouse, store } = await createStoredHome(t, undefined, config);
  const old = aRun({ hook: "github" });
  await store.accept(anAcceptance({ hook: "github", runs: [old] }));
  const run = aRun({ hook: "github" });
  const before = async (): Promise<void> => {
    await store.accept(anAcceptance({ hook: "github", runs: [run] }));
    await store.cancelRun(run.id, { error: "it was cancelled", summary: null, heartbeat: null });
  };
  const { url } = await startRecordingServer(t, 200, ok, { before });
  const send = () =>
    rouse(["send", "github", "--file", "-", "--wait", "--json", "--url", url], {
      readInput: async () => "{}",
    });
  const waited = await send();
  assert.deepEqual((json(waited) as { id: string }).id, run.id, waited.stderr);
  const repeated = await startRecordingServer(t, 200, ok);
  const none = await rouse(["send", "github", "--file", "-", "--wait", "--url", repeated.url], {
    readInput: async () => "{}",
  });
  assert.equal(none.code, 0);
  assert.match(none.stdout, /led to no run: rouse requests says why\. It may be a repeat/);
});
