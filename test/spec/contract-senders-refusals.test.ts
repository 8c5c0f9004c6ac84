// Contract, section 7: who may not call a sender's path, and what they hear.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { mapping } from "../support/mapped.ts";
import { forEachStore, startTestGateway, type StoreKind } from "../support/gateway.ts";
import {
  githubHeaders,
  githubSecret,
  seconds,
  sendGithub,
  slackHeaders,
  slackSecret,
  stripeHeaders,
  stripeSecret,
} from "../support/senders.ts";

const start = (t: TestContext, store: StoreKind, hooks: object = {}) =>
  startTestGateway(
    t,
    {
      hooks: {
        senders: {
          github: {
            kind: "github",
            secret: [githubSecret, "an older secret of GitHub's"],
            maxBodyBytes: 2000,
          },
          stripe: { kind: "stripe", secret: stripeSecret },
          slack: { kind: "slack", secret: slackSecret },
        },
        mappings: [
          ...["github", "stripe", "slack", "plain"].map((name) => mapping(name)),
          mapping("any", { match: {} }),
        ],
        ...hooks,
      },
    },
    { store },
  );

forEachStore("senders: a failed proof", async (t, store) => {
  const gateway = await start(t, store, { authFailures: { max: 1000, windowSeconds: 60 } });
  const raw = async (target: string, headers: readonly string[], body = "{}") => {
    const head = [
      `POST ${target} HTTP/1.1`,
      "Host: x",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ];
    const { status, headers: found, text } = await gateway.raw(`${head.join("\r\n")}\r\n\r\n${body}`).next();
    delete found["date"];
    return { status, headers: found, text };
  };
  const wrongOnes: [string, string[], string?][] = [
    ["nothing", []],
    ["our token", [`Authorization: Bearer ${gateway.token}`]],
    ["our token in the other header", [`X-Gateway-Token: ${gateway.token}`]],
    ["a wrong secret", githubHeaders("{}", { secret: "another" })],
    ["a signature of another body", githubHeaders("{ }", {})],
    ["a signature of no form", githubHeaders("{}", { signature: "sha256=zz" })],
    ["a signature without its prefix", githubHeaders("{}", { signature: "00".repeat(32) })],
    ["two signatures", [...githubHeaders("{}", {}), ...githubHeaders("{}", {}).slice(1)]],
    ["a wrong signature of a body that is no JSON", githubHeaders("{}", {}), "{{{{"],
  ];

  for (const [what, headers, body] of wrongOnes)
    await t.test(`${what}: byte for byte the 401 that an unknown name gets`, async () => {
      const unknown = await raw(
        "/hooks/no-such-name",
        headers.filter((each) => !each.includes(gateway.token)),
        body,
      );
      assert.equal(unknown.status, 401);
      assert.deepEqual(await raw("/hooks/github", headers, body), unknown);
    });

  await t.test("a body that comes in chunks gets the same 401, too", async () => {
    const answer = async (name: string) => {
      const headers = ["Transfer-Encoding: chunked", ...githubHeaders("{}", { secret: "another" })];
      const head = `POST /hooks/${name} HTTP/1.1\r\nHost: x\r\n${headers.join("\r\n")}\r\n\r\n`;
      const { date: _, ...found } = (await gateway.raw(`${head}2\r\n{}\r\n0\r\n\r\n`).next()).headers;
      return found;
    };
    assert.deepEqual(await answer("github"), await answer("no-such-name"));
  });

  await t.test("a bad head is refused before the body, and 100 Continue is never sent for it", async () => {
    const head = [
      "POST /hooks/github HTTP/1.1",
      "Host: x",
      "Content-Length: 1000000",
      "Expect: 100-continue",
    ];
    const response = await gateway.raw(`${head.join("\r\n")}\r\n\r\n`).next();
    assert.equal(response.status, 401);
  });

  await t.test("a good head gets its 100 Continue, and a body that is too large its 413", async () => {
    const headers = githubHeaders("{}", { id: "continued" });
    const head = ["POST /hooks/github HTTP/1.1", "Host: x", "Expect: 100-continue", ...headers];
    const client = gateway.raw([...head, "Content-Length: 2", "", ""].join("\r\n"));
    assert.equal((await client.next()).status, 100);
    client.send("{}");
    assert.equal((await client.next()).status, 200);
    const large = gateway.raw([...head, "Content-Length: 2001", "", ""].join("\r\n"));
    assert.equal((await large.next()).status, 413);
  });

  await t.test("a body in chunks is refused as soon as it is too large", async () => {
    const headers = ["Transfer-Encoding: chunked", ...githubHeaders("{}", {})];
    const head = `POST /hooks/github HTTP/1.1\r\nHost: x\r\n${headers.join("\r\n")}\r\n\r\n`;
    const client = gateway.raw(`${head}800\r\n${"x".repeat(0x800)}\r\n`);
    assert.equal((await client.next()).status, 413);
  });

  await t.test("other methods are a 405 that says which there are", async () => {
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const response = await gateway.send({ method, target: "/hooks/github" });
      assert.deepEqual([response.status, response.headers["allow"]], [405, "POST"]);
    }
  });

  await t.test("a token in the query is a 400, as everywhere", async () => {
    const headers = githubHeaders("{}", { id: "query" });
    const response = await gateway.send({ target: "/hooks/github?token=x", headers, body: "{}" });
    assert.deepEqual([response.status, response.json["code"]], [400, "token-in-query"]);
  });

  await t.test("each secret counts while it is rotated", async () => {
    const before = (await gateway.runs()).length;
    for (const [id, secret] of [
      ["new", githubSecret],
      ["old", "an older secret of GitHub's"],
    ] as const)
      assert.equal((await sendGithub(gateway, { body: `{"id":"${id}"}`, id, secret })).status, 200);
    assert.equal((await gateway.runs()).length, before + 2);
  });

  await t.test("a signed id cannot be replaced, and signed time and body cannot be mixed", async () => {
    const at = seconds();
    const mixed = [stripeHeaders('{"id":"evt_1"}', at)[0]!, stripeHeaders('{"id":"evt_2"}', at)[1]!];
    const response = await gateway.send({ target: "/hooks/stripe", headers: mixed, body: '{"id":"evt_1"}' });
    assert.equal(response.status, 401);
    const other = stripeHeaders("{}", at).map((each) => each.replace(`t=${at}`, `t=${at + 1}`));
    assert.equal((await gateway.send({ target: "/hooks/stripe", headers: other, body: "{}" })).status, 401);
  });

  await t.test("the token opens every other hook as before", async () => {
    assert.equal((await gateway.post("plain", {})).status, 202);
    assert.equal((await gateway.post("wake", { text: "t", mode: "next-heartbeat" })).status, 200);
  });

  await t.test("no secret, header or payload is in the log", () => {
    const log = gateway.logLines.join("\n");
    for (const secret of [githubSecret, slackSecret, stripeSecret, gateway.token, "sha256=", "{{{{"])
      assert.ok(!log.includes(secret), secret);
  });
});

forEachStore("senders: failures are counted for each sender and address", async (t, store) => {
  const gateway = await start(t, store, { authFailures: { max: 3, windowSeconds: 60 } });
  const fail = async (name: string) => (await sendGithub(gateway, { secret: "another" }, name)).status;
  const count = async (name: string) => [
    await fail(name),
    await fail(name),
    await fail(name),
    await fail(name),
  ];

  await t.test("above the limit further failures are a 429 with Retry-After", async () => {
    assert.deepEqual(await count("github"), [401, 401, 401, 429]);
    const response = await gateway.send({ target: "/hooks/github" });
    assert.equal(response.status, 429);
    assert.match(response.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  });
  await t.test("a good proof is always served", async () => {
    assert.equal((await sendGithub(gateway, { body: '{"n":1}', id: "good" })).status, 200);
    assert.equal((await gateway.runs()).length, 1);
    assert.equal(await fail("github"), 429);
  });
  await t.test("other senders and tokens count on their own", async () => {
    assert.equal(await fail("stripe"), 401);
    const body = '{"event_id":"E1"}';
    const headers = slackHeaders(body, seconds());
    assert.equal((await gateway.send({ target: "/hooks/slack", headers, body })).status, 200);
    assert.equal((await gateway.post("plain", {})).status, 202);
    const wrong = ["Authorization: Bearer wrong"];
    assert.equal((await gateway.send({ target: "/hooks/wake", headers: wrong })).status, 401);
  });
});

forEachStore("senders: calls are counted by class, without payload", async (t, store) => {
  const gateway = await start(t, store);
  const at = seconds();
  await sendGithub(gateway, { body: '{"a": 1}', id: "one" });
  await sendGithub(gateway, { secret: "another" });
  await gateway.send({ target: "/hooks/github", body: "{}" });
  const reformatted = '{"a":1,\n "b":[1,2]}';
  const headers = stripeHeaders('{"a":1,"b":[1,2]}', at);
  assert.equal((await gateway.send({ target: "/hooks/stripe", headers, body: reformatted })).status, 401);
  const old = stripeHeaders("{}", at - 900);
  assert.equal((await gateway.send({ target: "/hooks/stripe", headers: old, body: "{}" })).status, 401);
  await gateway.restart();
  const [github, stripe, ...others] = await gateway.inspect.listSenders();
  assert.deepEqual(others, []);
  const results = (sender: typeof github) => sender?.calls.map(({ result, calls }) => [result, calls]);
  assert.deepEqual(results(github), [
    ["header-missing", 1],
    ["proven", 1],
    ["wrong-secret", 1],
  ]);
  assert.deepEqual(results(stripe), [
    ["body-changed", 1],
    ["too-old", 1],
  ]);
  const skewMs = stripe?.calls.find(({ result }) => result === "too-old")?.skewMs ?? 0;
  assert.ok(Math.abs(skewMs + 900_000) < 60_000, `${skewMs}`);
  await sendGithub(gateway, { body: '{"a": 2}', id: "two" });
  await gateway.restart();
  const [again] = await gateway.inspect.listSenders();
  assert.equal(again?.calls.find(({ result }) => result === "proven")?.calls, 2);
});
