// Contract, section 9: callbacks. The result of a run is sent by the outbox.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { forEachStore, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, mapping } from "../support/mapped.ts";

const secret = `whsec_${Buffer.from("a secret of twenty-four bytes").toString("base64")}`;

type Result = { type: string; data: { runId: string; status: string; reply?: string; error?: string } };

/** Answers with these statuses, and with 200 from then on. */
async function startReceiver(t: TestContext, statuses: number[] = []) {
  const results: Result[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const status = statuses.shift() ?? 200;
      paths.push(request.url ?? "");
      if (request.headers["webhook-id"] !== undefined)
        results.push(new Webhook(secret).verify(body, request.headers as Record<string, string>) as Result);
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, results, paths };
}

const callbacksOf = async ({ deliveries, waitFor }: TestGateway, runId: unknown) =>
  waitFor("the callback ends", async () => {
    const found = (await deliveries(String(runId))).filter(({ channel }) => channel.startsWith("callback:"));
    return found.length > 0 && found.every(({ status }) => status !== "waiting") ? found : null;
  });

forEachStore("a callback is named by a mapping, a request or a token", async (t, store) => {
  const receiver = await startReceiver(t);
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        callbacks: {
          ci: { url: `${receiver.url}/ci`, secret },
          thin: { url: `${receiver.url}/thin`, secret, body: "thin" },
        },
        tokens: { robot: { token: "robot-token-of-many-characters", hooks: ["agent"], callback: "thin" } },
        mappings: [mapping("build", { callback: "ci" }), mapping("plain")],
      },
    },
    { store },
  );
  const robot = ["Authorization: Bearer robot-token-of-many-characters"];

  const mapped = (await gateway.post("build", {})).json["runId"];
  const [delivery] = await callbacksOf(gateway, mapped);
  assert.deepEqual([delivery?.status, delivery?.channel, delivery?.to], ["sent", "callback:ci", mapped]);
  const { type, data } = receiver.results.at(-1)!;
  const run = await gateway.ended(mapped);
  assert.deepEqual(
    [type, data.runId, data.status, data.reply],
    ["run.succeeded", mapped, "succeeded", run.reply],
  );

  const asked = (await gateway.post("agent", { message: "do it", deliver: false, callback: "ci" })).json[
    "runId"
  ];
  assert.equal((await callbacksOf(gateway, asked))[0]?.channel, "callback:ci");

  const byToken = await gateway.send({
    target: "/hooks/agent",
    headers: [...robot, "Content-Type: application/json"],
    body: JSON.stringify({ message: "do it", deliver: false }),
  });
  assert.equal((await callbacksOf(gateway, byToken.json["runId"]))[0]?.channel, "callback:thin");
  assert.deepEqual(receiver.results.at(-1)?.data, { runId: byToken.json["runId"], status: "succeeded" });
  assert.deepEqual(receiver.paths, ["/ci", "/ci", "/thin"]);

  const plain = (await gateway.post("plain", {})).json["runId"];
  await gateway.ended(plain);
  assert.deepEqual(await gateway.deliveries(String(plain)), [], "nothing is sent that nobody asked for");

  assert.deepEqual(codeOf(await gateway.post("agent", { message: "x", callback: "other" })), [
    400,
    "callback-unknown",
  ]);
  assert.deepEqual(codeOf(await gateway.post("agent", { message: "x", callback: 7 })), [
    400,
    "invalid-payload",
  ]);
});

test("a failed run is a result, too; a receiver that breaks gets it again", async (t) => {
  const receiver = await startReceiver(t, [500]);
  const gateway = await startTestGateway(t, {
    hooks: {
      callbacks: { ci: { url: receiver.url, secret } },
      mappings: [mapping("build", { callback: "ci" })],
    },
    agents: { maxAttempts: 1, defaults: { kind: "command", command: "sh", args: ["-c", "exit 3"] } },
  });
  const runId = (await gateway.post("build", {})).json["runId"];
  const waiting = await gateway.waitFor("the first attempt failed", async () => {
    const [found] = await gateway.deliveries(String(runId));
    return found?.attempts === 1 && found.error !== null ? found : null;
  });
  assert.deepEqual([waiting.status, waiting.error], ["waiting", "the receiver answered 500"]);
  await gateway.inspect.cancelDelivery(waiting.id, "not waited for in this test");
  assert.equal(await gateway.inspect.retryDelivery(waiting.id), "waiting");
  await gateway.restart();
  const [delivery] = await callbacksOf(gateway, runId);
  assert.equal(delivery?.status, "sent");
  const [first, second] = receiver.results;
  assert.deepEqual(first, second);
  assert.equal(second?.type, "run.failed");
  assert.match(second?.data.error ?? "", /3/);
});

test("a run that is cancelled while it waits has its callback; one where the event came from has no answer", async (t) => {
  const receiver = await startReceiver(t);
  const gateway = await startTestGateway(t, {
    hooks: {
      budget: { runsPerDay: 0 },
      callbacks: {
        ci: { url: receiver.url, secret },
        issue: { format: "github-comment", token: "t", url: receiver.url },
      },
      mappings: [mapping("build", { callback: "ci" }), mapping("issue", { callback: "issue" })],
    },
    agents: { defaults: { kind: "command", command: "true" } },
  });
  const payload = { repository: { full_name: "octo/hello" }, issue: { number: 12 } };
  const waiting = (await gateway.post("build", {})).json["runId"];
  const issue = (await gateway.post("issue", payload)).json["runId"];
  for (const id of [waiting, issue])
    await gateway.waitFor(
      "it is parked",
      async () => (await gateway.inspect.findRun(String(id)))?.status === "parked",
    );
  const cancelled = { error: "it was cancelled", summary: null, heartbeat: null };
  for (const id of [waiting, issue])
    assert.equal(await gateway.inspect.cancelRun(String(id), cancelled), "cancelled");
  assert.equal((await callbacksOf(gateway, waiting))[0]?.status, "sent");
  assert.equal(receiver.results[0]?.type, "run.cancelled");
  const [answer] = await callbacksOf(gateway, issue);
  assert.deepEqual(
    [answer?.status, answer?.error, answer?.to],
    ["suppressed", "the run has no reply", "octo/hello#12"],
  );
});

test("a reply answers where the event came from; where the payload does not say, it is recorded", async (t) => {
  const receiver = await startReceiver(t);
  const gateway = await startTestGateway(t, {
    hooks: {
      callbacks: { issue: { format: "gitlab-comment", token: "t", url: `${receiver.url}/api/v4` } },
      mappings: [mapping("issue", { callback: "issue" })],
    },
  });
  const payload = {
    object_kind: "issue",
    project: { path_with_namespace: "group/project" },
    object_attributes: { iid: 7 },
  };
  const answered = (await gateway.post("issue", payload)).json["runId"];
  // The receiver answers 200 without a note, which GitLab never does.
  assert.equal(
    (await callbacksOf(gateway, (await gateway.post("issue", {})).json["runId"]))[0]?.error,
    "the request does not say where it came from",
  );
  await gateway.waitFor("it was asked", async () => receiver.paths.length > 0);
  assert.equal(receiver.paths[0], "/api/v4/projects/group%2Fproject/issues/7/notes");
  const [delivery] = await gateway.deliveries(String(answered));
  assert.equal(delivery?.to, "group/project#7");
});

test("problems of the configuration are found before the start", async (t) => {
  await assert.rejects(
    startTestGateway(t, {
      hooks: {
        callbacks: {
          plain: { url: "http://ci.example.com/", secret },
          nothing: {},
          comment: { format: "github-comment", secret },
          named: { url: "https://me:you@ci.example.com/", secret },
        },
        tokens: { robot: { token: "robot-token-of-many-characters", hooks: ["agent"], callback: "comment" } },
        mappings: [mapping("build", { callback: "plian" })],
      },
    }),
    (fault: Error) => {
      for (const [path, message] of [
        ["hooks.callbacks.plain.url", "must begin with https://"],
        ["hooks.callbacks.nothing.url", "is missing"],
        ["hooks.callbacks.nothing.secret", "is missing"],
        ["hooks.callbacks.comment.token", "is missing"],
        ["hooks.callbacks.comment.secret", "is not used"],
        ["hooks.callbacks.named.url", "must have no name or password"],
        ["hooks.tokens.robot.callback", "must be a callback of the format standard"],
        ["hooks.mappings[0].callback", "there is no such callback in hooks.callbacks; did you mean plain?"],
      ])
        assert.ok(
          fault.message.includes(`"path":"${path}","message":"${message}`),
          `${path}\n${fault.message}`,
        );
      return true;
    },
  );
});
