// Bodies that no caller should send: too large, too slow, not JSON. None of them is stored, and the next is served.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import test from "node:test";
import { plainText } from "../core/message.ts";
import { assertStillServes, post, startHooks, token, wakeHead } from "../../test/fixtures/hooks-server.ts";

const right = `Authorization: Bearer ${token}`;

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
  slowBody.send(`${wakeHead}Content-Length: 12\r\n\r\n{`);
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
  client.send(`${wakeHead}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
  client.send(chunk);
  const response = await client.next();
  assert.deepEqual([response.status, response.json["code"]], [413, "body-too-large"]);
  client.send(`${chunk}0\r\n\r\n`);
  await client.closed;
  await assertStillServes(hooks);
});

test("a chunked body of 20 MB always gets a readable 413", async (context) => {
  const hooks = await startHooks(context);
  const chunk = Buffer.alloc(1_048_576, 0x20);
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
        else request.write(chunk, write);
      };
      write();
    });
    assert.equal(status, 413);
  }
});

test("a body announced as too large is 413 before it is sent", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${wakeHead}Content-Length: 20000000\r\n\r\n`);
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

test("a reset in the middle of a body stores nothing", async (context) => {
  const hooks = await startHooks(context);
  const client = hooks.connect();
  client.send(`${wakeHead}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
  assert.equal((await client.next()).status, 100);
  client.send("{");
  client.socket.resetAndDestroy();
  await client.closed;
  await assertStillServes(hooks);
  assert.equal(hooks.accepted.length, 1);
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
