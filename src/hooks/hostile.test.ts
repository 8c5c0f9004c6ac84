// Requests that no caller should send: each gets a response or is closed, none is stored, and the next is served.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import test from "node:test";
import { plainText } from "../core/message.ts";
import type { Accepted } from "../core/request.ts";
import { type Fixture, post, startHooks, token } from "../../test/fixtures/hooks-server.ts";

const right = `Authorization: Bearer ${token}`;
const head = `POST /hooks/wake HTTP/1.1\r\nHost: x\r\n${right}\r\n`;

async function stillServes(hooks: Fixture): Promise<void> {
  assert.equal((await hooks.post("/hooks/wake", { text: "fine" })).status, 200);
}

test("malformed HTTP is 400 in our shape, and the connection closes", async (context) => {
  const hooks = await startHooks(context);
  const body = '{"text":"x"}';
  const cases: Record<string, string> = {
    "no HTTP": "hello there\r\n\r\n",
    "length and chunked": `${head}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "two lengths": `${head}Content-Length: 12\r\nContent-Length: 12\r\n\r\n${body}`,
    "signed length": `${head}Content-Length: +12\r\n\r\n${body}`,
    "bare LF": `POST /hooks/wake HTTP/1.1\nHost: x\n${right}\nContent-Length: 12\n\n${body}`,
    "space before colon": `${head}Content-Length : 12\r\n\r\n${body}`,
    "folded header": `${head}X-A: 1\r\n 2\r\nContent-Length: 12\r\n\r\n${body}`,
    "NUL in a header": `${head}X-A: a\0b\r\nContent-Length: 12\r\n\r\n${body}`,
    "unknown transfer encoding": `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    "bad chunk size": `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    "no host": `POST /hooks/wake HTTP/1.1\r\n${right}\r\nContent-Length: 12\r\nConnection: close\r\n\r\n${body}`,
    "two hosts": `${head}Host: y\r\nContent-Length: 12\r\nConnection: close\r\n\r\n${body}`,
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
  await stillServes(hooks);
});

test("a refusal can be read even if the body in the same packet is broken", async (context) => {
  const hooks = await startHooks(context);
  const chunked = "Transfer-Encoding: chunked\r\n\r\nzz\r\n";
  const cases: [string, number][] = [
    [`POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n${chunked}`, 401],
    [`POST /hooks/nowhere HTTP/1.1\r\nHost: x\r\n${right}\r\n${chunked}`, 404],
    [`POST /hooks/wake HTTP/1.1\r\nHost: x\r\nHost: y\r\n${right}\r\n${chunked}`, 400],
    [`${head}Content-Type: image/png\r\n${chunked}`, 415],
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
  await stillServes(hooks);
});

test("random bytes close the connection", async (context) => {
  const hooks = await startHooks(context);
  for (let each = 0; each < 50; each++) {
    const client = hooks.connect();
    client.send(Buffer.concat([randomBytes(200), Buffer.from("\r\n\r\n")]));
    client.socket.end();
    await client.closed;
  }
  await stillServes(hooks);
});

test("huge headers are 431", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${head}X-A: ${"x".repeat(100_000)}\r\n\r\n`);
  const response = await client.next();
  assert.deepEqual([response.status, response.json["code"]], [431, "headers-too-large"]);
  await stillServes(hooks);
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

test("slow headers and slow bodies are 408", async (context) => {
  const hooks = await startHooks(context, {
    hooks: { bodyTimeoutSeconds: 0.1 },
    headersTimeoutMs: 100,
  });
  const slowHead = hooks.connect();
  slowHead.send("POST /hooks/wake HTTP/1.1\r\nHost:");
  assert.equal((await slowHead.next()).json["code"], "request-timeout");
  await slowHead.closed;
  const slowBody = hooks.connect();
  slowBody.send(`${head}Content-Length: 12\r\n\r\n{`);
  const response = await slowBody.next();
  assert.deepEqual([response.status, response.json["code"]], [408, "body-timeout"]);
  assert.equal(response.headers["connection"], "close");
  slowBody.send('"text":"x"}');
  await slowBody.closed;
  assert.equal(hooks.accepted.length, 0);
});

test("a chunked body without end is 413 as soon as it is too large", async (context) => {
  const hooks = await startHooks(context, { hooks: { maxBodyBytes: 1000 } });
  const client = hooks.connect();
  client.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
  client.send(chunk);
  const response = await client.next();
  assert.deepEqual([response.status, response.json["code"]], [413, "body-too-large"]);
  client.send(`${chunk}0\r\n\r\n`);
  await client.closed;
  await stillServes(hooks);
});

test("a chunked body of 20 MB always gets a readable 413", async (context) => {
  const hooks = await startHooks(context);
  const piece = Buffer.alloc(1_048_576, 0x20);
  for (let each = 0; each < 5; each++) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        {
          port: hooks.port,
          host: "127.0.0.1",
          method: "POST",
          path: "/hooks/wake",
          headers: { authorization: `Bearer ${token}` },
        },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode));
        },
      );
      request.on("error", reject);
      let left = 20;
      const write = (): void => {
        if (left-- === 0) request.end();
        else request.write(piece, write);
      };
      write();
    });
    assert.equal(status, 413);
  }
});

test("a body announced as too large is 413 before it is sent", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${head}Content-Length: 20000000\r\n\r\n`);
  const response = await client.next();
  assert.deepEqual([response.status, response.headers["connection"]], [413, "close"]);
});

test("a small unread body keeps the connection, a large one closes it", async (context) => {
  const hooks = await startHooks(context, { hooks: { maxBodyBytes: 1000 } });
  const client = hooks.connect();
  client.send(post("/hooks/wake", "x".repeat(900), ["Authorization: Bearer wrong"]));
  assert.equal((await client.next()).status, 401);
  client.send(post("/hooks/wake", { text: "x" }, [right, "Content-Type: image/png"]));
  assert.equal((await client.next()).status, 415);
  client.send(post("/hooks/wake", { text: "x" }));
  assert.equal((await client.next()).status, 200);
  client.send(post("/hooks/wake", "x".repeat(5000), ["Authorization: Bearer wrong"]));
  const last = await client.next();
  assert.deepEqual([last.status, last.headers["connection"]], [401, "close"]);
  await client.closed;
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

test("a reset in the middle of a body stores nothing", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
  assert.equal((await client.next()).status, 100);
  client.send("{");
  client.socket.resetAndDestroy();
  await client.closed;
  await stillServes(hooks);
  assert.equal(hooks.accepted.length, 1);
});

test("a caller that ends its side after the request gets its response; after half of it, 400", async (context) => {
  const hooks = await startHooks(context);
  const whole = hooks.connect();
  whole.socket.end(post("/hooks/wake", { text: "x" }));
  assert.equal((await whole.next()).status, 200);
  const half = hooks.connect();
  half.socket.end(`${head}Content-Length: 100\r\n\r\n{`);
  assert.equal((await half.next()).status, 400);
});

test("hostile JSON is refused or harmless", async (context) => {
  const hooks = await startHooks(context);
  const deep = (levels: number): string => `{"text":"x","a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const cases: [string, string | Buffer, number][] = [
    ["too deep", deep(500), 400],
    ["deep enough", deep(499), 200],
    ["deep without end", "[".repeat(100_000), 400],
    ["brackets in a string", JSON.stringify({ text: "[".repeat(5_000) }), 200],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ["UTF-16", Buffer.from('{"text":"x"}', "utf16le"), 400],
    ["byte order mark", '\uFEFF{"text":"x"}', 200],
    ["NUL after it", '{"text":"x"}\0', 400],
    ["two values", '{"text":"x"}{"text":"y"}', 400],
    ["array", '["x"]', 400],
    ["null", "null", 400],
    ["prototype", '{"__proto__":{"text":"x"}}', 400],
    ["huge number", '{"text":"x","n":1e999999}', 200],
    ["escaped NUL and lone surrogate", '{"text":"a\\u0000b\\ud800c"}', 200],
  ];
  for (const [name, body, status] of cases) {
    assert.equal((await hooks.post("/hooks/wake", body)).status, status, name);
  }
  const stored = () => plainText(hooks.accepted.at(-1)?.events[0]?.text ?? []);
  assert.equal(stored(), "a\0b\ud800c");
  await hooks.post("/hooks/wake", '{"text":"first","text":"last"}');
  assert.equal(stored(), "last");
  const huge = await hooks.post("/hooks/agent", '{"message":"m","timeoutSeconds":1e999}');
  assert.equal(huge.json["code"], "invalid-payload");
});

test("the content types that are accepted", async (context) => {
  const hooks = await startHooks(context);
  const cases: [string, number][] = [
    ["application/json", 200],
    ["Application/JSON; charset=UTF-8", 200],
    ["application/cloudevents+json", 200],
    ["text/plain;charset=utf-8", 200],
    ["text/html", 415],
    ["application/jsonx", 415],
    ["multipart/form-data; boundary=application/json", 415],
  ];
  for (const [type, status] of cases) {
    assert.equal(
      (await hooks.post("/hooks/wake", { text: "x" }, [right, `Content-Type: ${type}`])).status,
      status,
      type,
    );
  }
  assert.equal(
    (await hooks.post("/hooks/wake", { text: "x" }, [right, "Content-Encoding: identity"])).status,
    200,
  );
  assert.equal((await hooks.post("/hooks/wake", { text: "x" }, [right, "Content-Encoding: br"])).status, 415);
});
