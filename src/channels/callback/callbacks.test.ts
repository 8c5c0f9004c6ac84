import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { aClaimedRun, aRunRequest } from "../../../test/builders/run.ts";
import type { CallbackConfig } from "../../config/config.ts";
import type { Run } from "../../core/run.ts";
import type { SendOutcome } from "../../sdk/channel.ts";
import { createCallbacks } from "./callbacks.ts";
import { openNetwork } from "./network.ts";

type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
type Answer = { status: number; headers?: Record<string, string>; body?: string };

async function startReceiver(t: TestContext, answers: readonly Answer[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const {
        status,
        headers: sent = {},
        body: said = "",
      } = answers[Math.min(received.length, answers.length - 1)]!;
      received.push({ method, url, headers, body });
      response.writeHead(status, sent).end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const secret = `whsec_${Buffer.from("a secret of twenty-four bytes").toString("base64")}`;
const config = (more: Partial<CallbackConfig>): CallbackConfig => ({
  format: "standard",
  url: null,
  secret,
  token: "secret-token",
  isThin: false,
  allowPrivate: false,
  ...more,
});

const ended = (more: Partial<Run> = {}): Run => ({
  ...aClaimedRun({ id: "0198c0de-0000-7000-8000-000000000000" }),
  status: "succeeded",
  reply: "Done & dusted.",
  createdAt: 1000,
  startedAt: 2000,
  endedAt: 3000,
  ...more,
});

const send = async (
  callback: CallbackConfig,
  { run = ended(), to = "", message = run.reply ?? "" }: { run?: Run; to?: string; message?: string } = {},
): Promise<SendOutcome> => {
  const found = await createCallbacks(new Map([["ci", callback]])).find("ci");
  assert.ok(found);
  return found.send({ run, to, text: message }, new AbortController().signal);
};

test("a result is signed as Standard Webhooks says, the same id at each attempt", async (t) => {
  const receiver = await startReceiver(t, [{ status: 503 }, { status: 204 }]);
  const callback = config({ url: `${receiver.url}/results?from=rouse` });
  assert.equal((await send(callback)).kind, "retry");
  assert.deepEqual(await send(callback), { kind: "sent" });
  const [first, second] = receiver.received;
  assert.equal(first?.headers["webhook-id"], "0198c0de-0000-7000-8000-000000000000.end");
  assert.equal(second?.headers["webhook-id"], first.headers["webhook-id"]);
  assert.equal(second?.body, first.body);
  for (const { headers, body, method, url } of receiver.received) {
    assert.deepEqual([method, url], ["POST", "/results?from=rouse"]);
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), {
      type: "run.succeeded",
      timestamp: "1970-01-01T00:00:03.000Z",
      data: {
        ok: true,
        runId: "0198c0de-0000-7000-8000-000000000000",
        status: "succeeded",
        reply: "Done & dusted.",
        error: null,
        attempts: 1,
        createdAt: "1970-01-01T00:00:01.000Z",
        startedAt: "1970-01-01T00:00:02.000Z",
        endedAt: "1970-01-01T00:00:03.000Z",
        usage: null,
      },
    });
  }
});

test("a thin one says only which run and how it ended", async (t) => {
  const receiver = await startReceiver(t, [{ status: 200 }]);
  await send(config({ url: receiver.url, isThin: true }), {
    run: ended({ status: "failed", reply: null, error: "why" }),
  });
  const { type, data } = JSON.parse(receiver.received[0]!.body) as { type: string; data: object };
  assert.deepEqual([type, data], ["run.failed", { runId: ended().id, status: "failed" }]);
});

test("a reply of a million characters arrives whole", async (t) => {
  const receiver = await startReceiver(t, [{ status: 200 }]);
  const reply = "a reply – ".repeat(100_000);
  assert.deepEqual(await send(config({ url: receiver.url }), { run: ended({ reply }) }), { kind: "sent" });
  const [{ body, headers }] = receiver.received as [Received];
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as {
    data: { reply: string };
  };
  assert.equal(verified.data.reply, reply);
});

test("any 2xx is taken, 410 is the end, all else comes again", async (t) => {
  const outcomeOf = async (status: number, headers: Record<string, string> = {}) => {
    const receiver = await startReceiver(t, [{ status, headers }]);
    return send(config({ url: receiver.url }));
  };
  for (const status of [200, 202, 204, 299]) assert.equal((await outcomeOf(status)).kind, "sent");
  assert.equal((await outcomeOf(410)).kind, "rejected");
  for (const status of [302, 400, 401, 404, 429, 500, 503])
    assert.equal((await outcomeOf(status)).kind, "retry");
  const asked = await outcomeOf(503, { "retry-after": "7" });
  assert.deepEqual(asked, { kind: "retry", reason: "the receiver answered 503", afterMs: 7000 });
  const away = await send(config({ url: "http://127.0.0.1:1" }));
  assert.equal(away.kind, "retry");
});

test("redirects are not followed", async (t) => {
  const elsewhere = await startReceiver(t, [{ status: 200 }]);
  const receiver = await startReceiver(t, [{ status: 307, headers: { location: elsewhere.url } }]);
  const outcome = await send(config({ url: receiver.url }));
  assert.ok(outcome.kind === "retry" && outcome.reason.includes("redirects are not followed"));
  assert.deepEqual(elsewhere.received, []);
});

test("a host that turns private on its second lookup is not asked", async (t) => {
  const receiver = await startReceiver(t, [{ status: 200 }]);
  const { port } = new URL(receiver.url);
  const answers: LookupAddress[][] = [
    [{ address: "127.0.0.1", family: 4 }],
    [{ address: "10.0.0.1", family: 4 }],
  ];
  let lookups = 0;
  const callbacks = createCallbacks(new Map([["ci", config({ url: `http://ci.example:${port}/` })]]), {
    open: (options) =>
      openNetwork({
        ...options,
        resolve: (_host, done) => done(null, answers[lookups++] ?? []),
        // In this test, the first address stands for a public one.
        isPublic: (address) => address === "127.0.0.1",
      }),
  });
  const once = async () =>
    (await callbacks.find("ci"))!.send({ run: ended(), to: "", text: "" }, new AbortController().signal);
  assert.deepEqual(await once(), { kind: "sent" });
  // The connection of the first one would be used again.
  receiver.received.length = 0;
  const fresh = createCallbacks(new Map([["ci", config({ url: `http://ci.example:${port}/` })]]), {
    open: (options) =>
      openNetwork({ ...options, resolve: (_host, done) => done(null, answers[lookups++] ?? []) }),
  });
  const outcome = await (await fresh.find("ci"))!.send(
    { run: ended(), to: "", text: "" },
    new AbortController().signal,
  );
  assert.ok(
    outcome.kind === "retry" && outcome.reason.includes("not on the public internet"),
    JSON.stringify(outcome),
  );
  assert.deepEqual(receiver.received, []);
});

test("one private address among public ones is enough", async () => {
  const addresses: LookupAddress[] = [
    { address: "1.1.1.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const callbacks = createCallbacks(new Map([["ci", config({ url: "https://ci.example/" })]]), {
    open: (options) => openNetwork({ ...options, resolve: (_host, done) => done(null, addresses) }),
  });
  const outcome = await (await callbacks.find("ci"))!.send(
    { run: ended(), to: "", text: "" },
    new AbortController().signal,
  );
  assert.ok(outcome.kind === "retry" && outcome.reason.includes("not on the public internet"));
});

test("a comment on GitHub", async (t) => {
  const receiver = await startReceiver(t, [{ status: 201, body: '{"id":1}' }]);
  const callback = config({ format: "github-comment", url: receiver.url });
  assert.deepEqual(await send(callback, { to: "octo/hello#12" }), { kind: "sent" });
  const [{ method, url, headers, body }] = receiver.received as [Received];
  assert.deepEqual([method, url], ["POST", "/repos/octo/hello/issues/12/comments"]);
  assert.equal(headers.authorization, "Bearer secret-token");
  assert.equal(headers["x-github-api-version"], "2022-11-28");
  assert.deepEqual(JSON.parse(body), { body: "Done & dusted." });
});

test("a comment on GitLab, on an issue and on a merge request", async (t) => {
  const receiver = await startReceiver(t, [{ status: 201, body: "{}" }]);
  const callback = config({ format: "gitlab-comment", url: receiver.url });
  assert.deepEqual(await send(callback, { to: "group/sub/project#3" }), { kind: "sent" });
  assert.deepEqual(await send(callback, { to: "group/sub/project!4" }), { kind: "sent" });
  assert.deepEqual(
    receiver.received.map(({ url }) => url),
    [
      "/projects/group%2Fsub%2Fproject/issues/3/notes",
      "/projects/group%2Fsub%2Fproject/merge_requests/4/notes",
    ],
  );
  assert.equal(receiver.received[0]?.headers["private-token"], "secret-token");
});

test("what GitHub and GitLab refuse, and what comes again; no token is in a reason", async (t) => {
  const outcomeOf = async (format: "github-comment" | "gitlab-comment", answer: Answer) => {
    const receiver = await startReceiver(t, [answer]);
    return send(config({ format, url: receiver.url }), { to: "a/b#1" });
  };
  const message = (said: string) => JSON.stringify({ message: said });
  for (const format of ["github-comment", "gitlab-comment"] as const) {
    for (const status of [401, 403, 404])
      assert.equal(
        (await outcomeOf(format, { status, body: message("no") })).kind,
        "rejected",
        `${format} ${status}`,
      );
    assert.equal((await outcomeOf(format, { status: 500 })).kind, "unknown", "it may be there");
    assert.equal((await outcomeOf(format, { status: 429, headers: { "retry-after": "3" } })).kind, "retry");
    assert.equal((await outcomeOf(format, { status: 200, body: "{}" })).kind, "unknown");
  }
  const limited = await outcomeOf("github-comment", { status: 403, headers: { "retry-after": "60" } });
  assert.deepEqual([limited.kind, "afterMs" in limited && limited.afterMs], ["retry", 60_000]);
  const date = "Thu, 19 Nov 2026 08:00:00 GMT";
  const reset = String(Date.parse(date) / 1000 + 90);
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, date };
  const spent = await outcomeOf("github-comment", { status: 403, headers });
  assert.deepEqual([spent.kind, "afterMs" in spent && spent.afterMs], ["retry", 90_000]);
  const said = await outcomeOf("github-comment", { status: 422, body: message("bad secret-token here") });
  assert.ok(said.kind === "rejected" && said.reason.includes("bad … here"), JSON.stringify(said));
});

test("a response to Slack goes to the address of the request", async (t) => {
  const receiver = await startReceiver(t, [
    { status: 200, body: "ok" },
    { status: 404, body: "expired_url" },
  ]);
  const run = ended({
    request: aRunRequest({ callback: { name: "ci", to: "https://hooks.slack.com/commands/T/1/x" } }),
  });
  const asked: string[] = [];
  const callbacks = createCallbacks(new Map([["ci", config({ format: "slack-response" })]]), {
    open: () => ({
      fetch: ((url: string, init: RequestInit) => {
        asked.push(url);
        return fetch(receiver.url, init);
      }) as typeof fetch,
    }),
  });
  const callback = (await callbacks.find("ci"))!;
  const messages = callback.render("**Done**");
  assert.deepEqual(messages, ["*Done*"]);
  const outcome = () => callback.send({ run, to: run.id, text: messages[0]! }, new AbortController().signal);
  assert.deepEqual(await outcome(), { kind: "sent" });
  assert.deepEqual(asked, ["https://hooks.slack.com/commands/T/1/x"]);
  assert.deepEqual(JSON.parse(receiver.received[0]!.body), {
    text: "*Done*",
    response_type: "ephemeral",
    mrkdwn: true,
  });
  assert.equal((await outcome()).kind, "rejected");
});
