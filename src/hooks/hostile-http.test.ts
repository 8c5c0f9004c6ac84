// Requests that are not well-formed HTTP, or stop half-way: each gets a response or is closed, and the next is served.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import type { Accepted } from "../core/request.ts";
import { assertStillServes, post, startHooks, token, wakeHead } from "../../test/fixtures/hooks-server.ts";

const right = `Authorization: Bearer ${token}`;

test("malformed HTTP is 400 in our shape, and the connection closes", async (context) => {
  const hooks = await startHooks(context);
  const body = '{"text":"x"}';
  const cases: Record<string, string> = {
    "no HTTP": "hello there\r\n\r\n",
    "length and chunked": `${wakeHead}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "two lengths": `${wakeHead}Content-Length: 12\r\nContent-Length: 12\r\n\r\n${body}`,
    "signed length": `${wakeHead}Content-Length: +12\r\n\r\n${body}`,
    "bare LF": `POST /hooks/wake HTTP/1.1\nHost: x\n${right}\nContent-Length: 12\n\n${body}`,
    "space before colon": `${wakeHead}Content-Length : 12\r\n\r\n${body}`,
    "folded header": `${wakeHead}X-A: 1\r\n 2\r\nContent-Length: 12\r\n\r\n${body}`,
    "NUL in a header": `${wakeHead}X-A: a\0b\r\nContent-Length: 12\r\n\r\n${body}`,
    "chunked before another transfer coding": `${wakeHead}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    "bad chunk size": `${wakeHead}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    "no host": `POST /hooks/wake HTTP/1.1\r\n${right}\r\nContent-Length: 12\r\nConnection: close\r\n\r\n${body}`,
    "two hosts": `${wakeHead}Host: y\r\nContent-Length: 12\r\nConnection: close\r\n\r\n${body}`,
  };
  for (const [name, bytes] of Object.entries(cases)) {
    const client = hooks.connect();
    client.send(bytes);
    const response = await client.next();
    assert.deepEqual([response.status, response.json["code"]], [400, "bad-request"], name);
    assert.equal(response.headers["content-type"], "application/json; charset=utf-8", name);
    await client.closed;
  }
  assert.equal(hooks.accepted.length, 0);
  await assertStillServes(hooks);
});

test("a refusal can be read even if the body in the same packet is broken", async (context) => {
  const hooks = await startHooks(context);
  const chunked = "Transfer-Encoding: chunked\r\n\r\nzz\r\n";
  const cases: [string, number][] = [
    [`POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n${chunked}`, 401],
    [`POST /hooks/nowhere HTTP/1.1\r\nHost: x\r\n${right}\r\n${chunked}`, 404],
    [`POST /hooks/wake HTTP/1.1\r\nHost: x\r\nHost: y\r\n${right}\r\n${chunked}`, 400],
    [`${wakeHead}Content-Type: image/png\r\n${chunked}`, 415],
  ];
  for (const [bytes, status] of cases) {
    const client = hooks.connect();
    client.send(bytes);
    assert.equal((await client.next()).status, status);
    await client.closed;
  }
  const client = hooks.connect();
  let received = "";
  client.socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  client.send(`HEAD /hooks/wake HTTP/1.1\r\nHost: x\r\n${chunked}`);
  await client.closed;
  assert.match(received, /^HTTP\/1\.1 405 /);
  await assertStillServes(hooks);
});

test("random bytes close the connection", async (context) => {
  const hooks = await startHooks(context);
  for (let each = 0; each < 50; each++) {
    const client = hooks.connect();
    client.send(Buffer.concat([randomBytes(200), Buffer.from("\r\n\r\n")]));
    client.socket.end();
    await client.closed;
  }
  await assertStillServes(hooks);
});

test("huge headers are 431", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${wakeHead}X-A: ${"x".repeat(100_000)}\r\n\r\n`);
  const response = await client.next();
  assert.deepEqual([response.status, response.json["code"]], [431, "headers-too-large"]);
  await assertStillServes(hooks);
});

test("another expectation is 417, CONNECT is refused, an offer to upgrade is ignored", async (context) => {
  const hooks = await startHooks(context);
  const expecting = await hooks.post("/hooks/wake", { text: "x" }, [right, "Expect: wonders"]);
  assert.deepEqual([expecting.status, expecting.json["code"]], [417, "expectation-failed"]);
  const client = hooks.connect();
  client.send("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n");
  assert.equal((await client.next()).status, 405);
  const upgrade = [
    right,
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQ",
  ];
  assert.equal((await hooks.post("/hooks/wake", { text: "x" }, upgrade)).status, 200);
});

test("after an offer to upgrade the response closes the connection, so that no later request waits for ever", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  const offer = [right, "Connection: Upgrade", "Upgrade: h2c"];
  client.send(Buffer.concat([post("/hooks/wake", { text: "1" }, offer), post("/hooks/wake", { text: "2" })]));
  const response = await client.next();
  assert.deepEqual([response.status, response.headers["connection"]], [200, "close"]);
  await client.closed;
  assert.equal(hooks.accepted.length, 1);
});

test("pipelined requests get responses in order, even before a broken one", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(
    Buffer.concat([
      post("/hooks/wake", { text: "1" }),
      post("/hooks/wake", { text: "2" }, []),
      post("/hooks/agent", { message: "3" }),
      Buffer.from("garbage\r\n\r\n"),
    ]),
  );
  const statuses = [await client.next(), await client.next(), await client.next()].map(
    ({ status }) => status,
  );
  assert.deepEqual(statuses, [200, 401, 202]);
  await client.closed;
});

test("a broken request after one that was refused at once gets its own 400", async (context) => {
  const stored = () => new Promise<Accepted>((resolve) => setTimeout(resolve, 20, { kind: "stored" }));
  const hooks = await startHooks(context, { accept: stored });
  const good = post("/hooks/wake", { text: "1" });
  const refused = post("/hooks/wake?token=x", { text: "2" });
  const many = Array.from({ length: 150 }, (_, at) => `X-${at}: ${at}`);
  const cases: [Buffer, string][] = [
    [Buffer.from("garbage\r\n\r\n"), "bad-request"],
    [post("/hooks/wake", { text: "3" }, [right, ...many]), "headers-too-large"],
  ];
  for (const [broken, code] of cases) {
    for (const before of [[refused], [good, refused], [good, good, refused, refused]]) {
      const client = hooks.connect();
      client.send(Buffer.concat([...before, broken]));
      for (const each of before) assert.equal((await client.next()).status, each === good ? 200 : 400);
      // Not `request-timeout`, after the time that headers may take.
      assert.equal((await client.next()).json["code"], code);
      await client.closed;
    }
  }
});

test("a caller that ends its side after the request gets its response; after half of it, 400", async (context) => {
  const hooks = await startHooks(context);
  const whole = hooks.connect();
  whole.socket.end(post("/hooks/wake", { text: "x" }));
  assert.equal((await whole.next()).status, 200);
  const half = hooks.connect();
  half.socket.end(`${wakeHead}Content-Length: 100\r\n\r\n{`);
  assert.equal((await half.next()).status, 400);
});
