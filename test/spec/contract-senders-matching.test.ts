// Contract, section 7: which mappings take a sender's request, and what templates and transforms see of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { createExplainer } from "../fixtures/explained.ts";
import { faults, file, good, mappingsOf } from "../fixtures/mapping-config.ts";
import { problemsOf } from "../fixtures/config.ts";
import { forEachStore, startTestGateway } from "../support/gateway.ts";
import { lastRecord, mapping, moduleOf } from "../support/mapped.ts";
import { githubSecret, sendGithub } from "../support/senders.ts";

const senders = { github: { kind: "github", secret: githubSecret } };

forEachStore("match.event chooses the mapping", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        senders: { ...senders, gitlab: { kind: "gitlab", secret: "a secret token of GitLab's" } },
        transformsDir: "transforms",
        mappings: [
          mapping("github", { match: { path: "github", event: "push" }, messageTemplate: "push" }),
          mapping("lists", {
            match: { path: "github", event: ["issues.opened", "issues.closed"] },
            messageTemplate: "issue {{ hook.event }}, {{ payload.hook.id }}, {{ hook.id }}",
          }),
          mapping("seen", {
            match: { path: "github", event: "ping" },
            transform: { module: "seen.js" },
          }),
          mapping("gitlab", { messageTemplate: "{{ headers | json }} {{ hook.event }}" }),
          mapping("plain", { messageTemplate: "{{ hook.id }}" }),
          mapping("anything", { match: {}, messageTemplate: "anything" }),
        ],
      },
    },
    { store, files: { "transforms/seen.js": moduleOf("return { message: JSON.stringify(input.hook) };") } },
  );
  let count = 0;
  const newest = async () => plainText((await gateway.runs())[0]!.request.message);
  const send = async (event: string | undefined, more: object = {}) => {
    const id = `d-${++count}`;
    const body = JSON.stringify({ count, ...more });
    const response = await sendGithub(gateway, { body, id, ...(event !== undefined && { event }) });
    assert.equal(response.status, 200);
    return newest();
  };

  assert.equal(await send("push"), "push");
  const hook = { id: 7 };
  assert.equal(await send("issues", { action: "opened", hook }), "issue issues.opened, 7,");
  assert.equal(await send("ping"), '{"event":"ping","delivery":"d-3","sender":"github"}');
  const runs = (await gateway.runs()).length;
  await send("issues", { action: "deleted" });
  assert.equal((await gateway.runs()).length, runs);
  const { reason } = await lastRecord(gateway);
  assert.match(reason, /event was "issues.deleted", wanted "push"/);
  await send(undefined);
  assert.match((await lastRecord(gateway)).reason, /event is missing, wanted "push"/);

  await t.test("the header with the secret is hidden", async () => {
    const headers = ["X-Gitlab-Token: a secret token of GitLab's", "X-Gitlab-Event: Push Hook"];
    assert.equal((await gateway.send({ target: "/hooks/gitlab", headers, body: "{}" })).status, 200);
    assert.match(await newest(), /"x-gitlab-event":"Push Hook"/);
    assert.ok(!(await newest()).includes("token"));
  });
  await t.test("in other requests `hook` is a field like any", async () => {
    await gateway.post("plain", { hook: { id: 9 } });
    assert.equal(await newest(), "9");
    assert.equal((await gateway.post("some-name", {})).status, 202);
    assert.equal(await newest(), "anything");
  });
});

const withSenders = (mappings: unknown[]) => problemsOf(file(mappings, { senders }));

test("match.event is text or a list, and only a sender's mapping may have it", () => {
  const match = { path: "github", event: ["push", "issues.opened"] };
  const [mapped] = mappingsOf([good({ match })], { senders });
  assert.deepEqual(mapped?.match.events, ["push", "issues.opened"]);
  assert.equal(mappingsOf([good({})])[0]?.match.events, null);
  for (const event of [[], "", 7, [7], { not: "push" }])
    assert.equal(faults({ messageTemplate: "m", match: { path: "github", event } }).length > 0, true);
  const plain = withSenders([
    good({ match: { path: "github" } }),
    good({ match: { path: "x", event: "push" } }),
  ]);
  assert.deepEqual(plain, [
    "hooks.mappings[1].match.event: can never match: only requests of senders name an event; there is no sender x in hooks.senders",
  ]);
  const anywhere = withSenders([good({ match: { path: "github" } }), good({ match: { event: "push" } })]);
  assert.equal(anywhere.length, 1);
  assert.match(String(anywhere[0]), /give match\.path, the name of a sender/);
});

test("a mapping behind one for any name is reached by its sender, and one behind all its events is not", () => {
  const any = good({ match: {} });
  const ofSender = good({ match: { path: "github" } });
  const push = good({ match: { path: "github", event: "push" } });
  assert.deepEqual(withSenders([any, ofSender]), []);
  assert.deepEqual(withSenders([push, ofSender]), []);
  assert.match(String(withSenders([ofSender, push])[0]), /can never be reached/);
});

const issue = { action: "opened", issue: { number: 7 } };
const explained = (t: Parameters<typeof createExplainer>[0]) =>
  createExplainer(t, {
    hooks: { senders },
    mappings: [
      {
        match: { path: "github", event: "issues.opened" },
        messageTemplate: "{{ hook.event }} {{ hook.delivery }}",
      },
      { match: { path: "github", event: "blank" }, messageTemplate: "{{ nothing }}" },
      { match: {}, messageTemplate: "any" },
    ],
  });

test("explain reads event and delivery as the sender sends them", async (t) => {
  const { explained: explain } = explained(t);
  const headers = ["--header", "X-GitHub-Event: issues", "--header", "X-GitHub-Delivery: d-1"];
  const { outcome, answer, actions, mappings } = await explain("github", issue, ...headers);
  assert.equal(outcome, "accepted");
  assert.deepEqual(answer, { status: 200, body: { ok: true } });
  assert.equal(actions[0]?.action === "agent" && actions[0].message, "issues.opened d-1");
  assert.deepEqual(
    mappings.map(({ takes }) => takes),
    [true, false, false],
  );
});

test("explain takes event and delivery from flags", async (t) => {
  const { explained: explain } = explained(t);
  const { actions } = await explain("github", {}, "--event", "issues.opened", "--delivery", "d-2");
  assert.equal(actions[0]?.action === "agent" && actions[0].message, "issues.opened d-2");
});

test("explain says why no mapping takes a sender's request, and what the sender hears", async (t) => {
  const { explained: explain } = explained(t);
  const skipped = await explain("github", {}, "--event", "star");
  assert.deepEqual([skipped.outcome, skipped.answer.status], ["skipped", 200]);
  assert.deepEqual(
    skipped.mappings.map(({ reason }) => reason),
    [
      'event was "star", wanted "issues.opened"',
      'event was "star", wanted "blank"',
      "it has no match.path, and this is a sender's request",
    ],
  );
  const refused = await explain("github", {}, "--event", "blank");
  assert.deepEqual([refused.outcome, refused.answer.status], ["refused", 200]);
  assert.match(refused.reason ?? "", /^invalid-payload: message/);
});

test("explain refuses a sender's flags for another hook", async (t) => {
  const { explain } = explained(t);
  const { code, stderr } = await explain("agent", { message: "m" }, "--event", "push");
  assert.equal(code, 2);
  assert.match(stderr, /hooks\.senders has no agent/);
});
