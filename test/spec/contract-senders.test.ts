// Contract, section 7: what a sender's request becomes, and what its sender hears.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { codeOf, lastRecord, mapping, moduleOf } from "../support/mapped.ts";
import { forEachStore, startTestGateway, type StoreKind } from "../support/gateway.ts";
import {
  githubHeaders,
  githubSecret,
  seconds,
  sendGithub,
  slackHeaders,
  slackSecret,
} from "../support/senders.ts";

const ok = [200, '{"ok":true}'];
const heard = ({ status, text }: { status: number; text: string }) => [status, text];

const start = (t: TestContext, store: StoreKind, mappings: object[], more: object = {}, files = {}) =>
  startTestGateway(
    t,
    {
      hooks: {
        senders: {
          github: { kind: "github", secret: githubSecret },
          slack: { kind: "slack", secret: slackSecret },
        },
        mappings: [...mappings, mapping("slack", { messageTemplate: "{{ hook.event }}: {{ text }}" })],
        ...more,
      },
    },
    { store, files },
  );

const words = "{{ hook.event }} {{ hook.delivery }} {{ hook.sender }} {{ payload.action }}";
const github = (more: object = {}) => mapping("github", { messageTemplate: words, ...more });

forEachStore("senders: a proven delivery", async (t, store) => {
  const gateway = await start(t, store, [github()]);
  const messages = async () => (await gateway.runs()).map(({ request }) => plainText(request.message));

  await t.test("becomes a run, and its sender hears no id of ours", async () => {
    const delivery = { body: '{"action":"opened"}', id: "d-1", event: "issues" };
    assert.deepEqual(heard(await sendGithub(gateway, delivery)), ok);
    assert.deepEqual(await messages(), ["issues.opened d-1 github opened"]);
  });

  await t.test("is the same delivery under its id, whatever its body, and gets no 422", async () => {
    const again = { body: '{"action":"closed"}', id: "d-1", event: "issues" };
    assert.deepEqual(heard(await sendGithub(gateway, again)), ok);
    assert.equal((await gateway.runs()).length, 1);
  });

  await t.test("is the same delivery under a new id that is not signed", async () => {
    const replay = { body: '{"action":"opened"}', id: "d-2", event: "issues" };
    assert.deepEqual(heard(await sendGithub(gateway, replay)), ok);
    assert.equal((await gateway.runs()).length, 1);
  });

  await t.test("is known after a restart", async () => {
    await gateway.restart();
    await sendGithub(gateway, { body: '{"action":"opened"}', id: "d-3" });
    await sendGithub(gateway, { body: '{"action":"other"}', id: "d-1" });
    assert.equal((await gateway.runs()).length, 1);
  });

  await t.test("twins at the same time become one run", async () => {
    const twins = Array.from({ length: 10 }, (_, at) => ({ body: `{"twin":${at}}`, id: "twin" }));
    const bodies = Array.from({ length: 10 }, (_, at) => ({ body: '{"same":true}', id: `same-${at}` }));
    const responses = await Promise.all([...twins, ...bodies].map((each) => sendGithub(gateway, each)));
    for (const response of responses) assert.deepEqual(heard(response), ok);
    assert.equal((await gateway.runs()).length, 3);
  });

  await t.test("an id of any length and any characters is a key", async () => {
    for (const id of ["x".repeat(1000), "b\u00fccher", "with a blank"]) {
      await sendGithub(gateway, { body: `{"id":${JSON.stringify(id)}}`, id });
      await sendGithub(gateway, { body: `{"again":${JSON.stringify(id)}}`, id });
    }
    assert.equal((await gateway.runs()).length, 6);
  });

  await t.test("an Idempotency-Key of a header that nobody signed has no effect", async () => {
    const headers = ["Idempotency-Key: mine"];
    await sendGithub(gateway, { body: '{"n":1}', id: "k-1", headers });
    await sendGithub(gateway, { body: '{"n":2}', id: "k-2", headers });
    assert.equal((await gateway.runs()).length, 8);
  });

  await t.test("a form with JSON in a field is that JSON", async () => {
    const body = `payload=${encodeURIComponent('{"action":"form"}')}`;
    const headers = githubHeaders(body, { id: "form", event: "push" }).with(
      0,
      "Content-Type: application/x-www-form-urlencoded",
    );
    assert.deepEqual(heard(await gateway.send({ target: "/hooks/github", headers, body })), ok);
    assert.ok((await messages()).some((message) => message.endsWith("form github form")));
  });
});

forEachStore("senders: what cannot be used is answered as accepted, and recorded", async (t, store) => {
  const gateway = await start(
    t,
    store,
    [
      github({ match: { path: "github", event: ["issues.opened", "push"] } }),
      github({ id: "blank", match: { path: "github", event: "blank" }, messageTemplate: "{{ nothing }}" }),
      github({ id: "agent", match: { path: "github", event: "agent" }, agentId: "ops" }),
      github({
        id: "broken",
        match: { path: "github", event: "broken" },
        transform: { module: "broken.js" },
      }),
      mapping("anything", { match: {}, messageTemplate: "never a sender's" }),
    ],
    { allowedAgentIds: ["main"], transformsDir: "transforms" },
    { "transforms/broken.js": moduleOf("throw new Error('no')") },
  );
  let id = 0;
  const send = (event: string, body = `{"n":${id}}`) => sendGithub(gateway, { body, event, id: `r-${id++}` });
  const record = async () => {
    const { hook, outcome, reason } = await lastRecord(gateway);
    return [hook, outcome, reason.split(":")[0]];
  };

  await t.test("an event that no mapping takes is skipped", async () => {
    assert.deepEqual(heard(await send("star")), ok);
    assert.deepEqual(await record(), ["github", "skipped", "no mapping took it"]);
  });
  await t.test("a message that comes out blank is refused", async () => {
    assert.deepEqual(heard(await send("blank")), ok);
    assert.deepEqual(await record(), ["github", "refused", "invalid-payload"]);
  });
  await t.test("an agent that the policy forbids is refused", async () => {
    assert.deepEqual(heard(await send("agent")), ok);
    assert.deepEqual(await record(), ["github", "refused", "agent-not-allowed"]);
  });
  await t.test("broken JSON is refused", async () => {
    assert.deepEqual(heard(await send("push", "{broken")), ok);
    assert.deepEqual(await record(), ["github", "refused", "invalid-json"]);
  });
  await t.test("a type that the sender does not send is refused", async () => {
    const headers = githubHeaders("<x/>", { id: "xml" }).with(0, "Content-Type: application/xml");
    assert.deepEqual(heard(await gateway.send({ target: "/hooks/github", headers, body: "<x/>" })), ok);
    assert.deepEqual(await record(), ["github", "refused", "unsupported-media-type"]);
  });
  await t.test("a content encoding is refused", async () => {
    const headers = ["Content-Encoding: gzip"];
    assert.deepEqual(heard(await sendGithub(gateway, { body: "{}", id: "gz", headers })), ok);
    assert.deepEqual(await record(), ["github", "refused", "unsupported-encoding"]);
  });
  await t.test("a broken transform is a 500, and the sender may try again", async () => {
    assert.deepEqual(codeOf(await send("broken")), [500, "mapping-failed"]);
    assert.deepEqual(await record(), ["github", "failed", "broken"]);
  });
  await t.test("what was refused can be sent again once the mapping is mended", async () => {
    assert.equal((await gateway.runs()).length, 0);
    assert.deepEqual(heard(await sendGithub(gateway, { body: '{"n":1}', event: "push", id: "r-1" })), ok);
    assert.equal((await gateway.runs()).length, 1);
  });
});

forEachStore("senders: Slack", async (t, store) => {
  const gateway = await start(t, store, [github()]);
  const send = (body: string, at = seconds(), type?: string) =>
    gateway.send({ target: "/hooks/slack", headers: slackHeaders(body, at, type), body });

  await t.test("a proven question is answered, and runs nothing", async () => {
    const response = await send('{"type":"url_verification","challenge":"c-1"}');
    assert.deepEqual(heard(response), [200, '{"challenge":"c-1"}']);
    assert.deepEqual(await gateway.runs(), []);
  });
  await t.test("the same question without a proof is a 401", async () => {
    const body = '{"type":"url_verification","challenge":"c-1"}';
    assert.equal((await gateway.send({ target: "/hooks/slack", body })).status, 401);
  });
  await t.test("an open question by POST is answered without a proof", async () => {
    const headers = ["Content-Type: application/x-www-form-urlencoded"];
    const response = await gateway.send({ target: "/hooks/slack", headers, body: "ssl_check=1&token=x" });
    assert.deepEqual([response.status, response.text, response.headers["content-length"]], [200, "", "0"]);
    assert.deepEqual(await gateway.runs(), []);
  });
  await t.test("an event becomes a run, and Slack hears nothing that a person would see", async () => {
    const response = await send('{"event_id":"E1","event":{"type":"app_mention"},"text":"hello"}');
    assert.deepEqual(heard(response), [200, ""]);
    const [run] = await gateway.runs();
    assert.equal(plainText(run!.request.message), "app_mention: hello");
  });
  await t.test("a retry with another time is the same event", async () => {
    await send('{"event_id":"E1","event":{"type":"app_mention"},"text":"hello"}', seconds() - 1);
    assert.equal((await gateway.runs()).length, 1);
  });
  await t.test("a slash command is a form", async () => {
    const type = "application/x-www-form-urlencoded";
    await send("command=%2Fagent&text=do+it", seconds(), type);
    const [run] = await gateway.runs();
    assert.equal(plainText(run!.request.message), "/agent: do it");
  });
  await t.test("a time too far from ours is a 401, before the body is read", async () => {
    const body = '{"event_id":"E2"}';
    for (const at of [seconds() - 302, seconds() + 310]) {
      const head = ["POST /hooks/slack HTTP/1.1", "Host: x", "Content-Length: 17", "Expect: 100-continue"];
      const client = gateway.raw([...head, ...slackHeaders(body, at), "", ""].join("\r\n"));
      assert.equal((await client.next()).status, 401);
    }
    assert.equal((await gateway.runs()).length, 2);
  });
});
