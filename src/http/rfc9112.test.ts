// RFC 9112 over bare sockets: forms of the target, framing, versions, hosts and expectations.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { rawClient } from "../../test/fixtures/raw-client.ts";
import { silentLog } from "../core/log.ts";
import { readBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { isFromHere } from "./local.ts";
import { sendJson } from "./respond.ts";
import { createServer } from "./server.ts";

const limits = { maxBytes: 1000, timeoutMs: 10_000 };

/** Responds with what it understood of the request. */
async function echo(exchange: Exchange): Promise<void> {
  const body = await readBody(exchange, limits);
  const { target, request } = exchange;
  sendJson(exchange, 200, {
    target,
    body: Buffer.isBuffer(body) ? body.toString() : null,
    here: isFromHere(request),
  });
}

async function start(context: TestContext) {
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections: 100,
    requestTimeoutMs: 10_000,
    handle: (exchange) => void echo(exchange),
    log: silentLog,
  });
  const { port } = await server.listen();
  context.after(() => server.stop());
  return async (bytes: string) => {
    const client = rawClient(port);
    client.send(bytes);
    let response = await client.next();
    if (response.status === 100) response = await client.next();
    client.socket.destroy();
    const { status, headers, json } = response;
    return { status, closes: headers["connection"] === "close", json };
  };
}

const get = (target: string, host = "localhost") => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

const posted = (headers: string, body: string, version = "1.1") =>
  `POST /a HTTP/${version}\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`;

const chunks = "3\r\nabc\r\n0\r\n\r\n";

test("an absolute-form target is taken: its path and query count, its authority does not", async (context) => {
  const send = await start(context);
  for (const [written, target] of [
    ["http://other.test/a?b=c", "/a?b=c"],
    ["HTTPS://other.test:8443/a", "/a"],
    ["http://other.test", "/"],
    ["http://other.test?b=c", "/?b=c"],
    ["http://[::1]:80/a//b", "/a//b"],
    ["http://other.test//a", "//a"],
    ["http://localhost/http://inner.test/a", "/http://inner.test/a"],
  ] as const)
    assert.partialDeepStrictEqual(await send(get(written)), { status: 200, json: { target } }, written);
});

test("an absolute-form target whose authority is not well-formed is 400", async (context) => {
  const send = await start(context);
  for (const written of [
    "http:///a",
    "http://:80/a",
    "http://user@other.test/a",
    "http://user:word@other.test/a",
    "http://other.test:8x/a",
    "http://other.test\\hooks/a",
    "http://[::1/a",
    "http://?a",
  ])
    assert.partialDeepStrictEqual(
      await send(get(written)),
      { status: 400, closes: true, json: { code: "bad-request" } },
      written,
    );
});

test("a target in another form is passed on as it was written, and no route knows it", async (context) => {
  const send = await start(context);
  for (const target of ["*", "ftp://other.test/hooks/wake"])
    assert.partialDeepStrictEqual(await send(get(target)), { status: 200, json: { target } });
  const connect = await send("CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n");
  assert.partialDeepStrictEqual(connect, { status: 405, closes: true });
  assert.partialDeepStrictEqual(await send(get("other.test:443")), { status: 400, closes: true });
});

test("a request with an absolute-form target does not count as one of a program on this machine", async (context) => {
  const send = await start(context);
  assert.equal((await send(get("/a"))).json["here"], true);
  for (const target of ["http://localhost/a", "http://127.0.0.1/a", "http://other.test/a"])
    assert.equal((await send(get(target))).json["here"], false, target);
});

test("a transfer coding other than chunked is 501", async (context) => {
  const send = await start(context);
  for (const coding of [
    "gzip",
    "identity",
    "xchunked",
    "chunked;q=1",
    "gzip, chunked",
    "identity, chunked",
    "gzip\r\nTransfer-Encoding: chunked",
  ])
    for (const expect of ["", "\r\nExpect: 100-continue"])
      assert.partialDeepStrictEqual(
        await send(posted(`Transfer-Encoding: ${coding}${expect}`, chunks)),
        { status: 501, closes: true, json: { code: "unsupported-transfer-coding" } },
        coding + expect,
      );
  for (const coding of ["chunked", "CHUNKED", " chunked ", ", chunked"])
    assert.partialDeepStrictEqual(
      await send(posted(`Transfer-Encoding: ${coding}`, chunks)),
      { status: 200, closes: false, json: { body: "abc" } },
      coding,
    );
});

test("a body whose end is not certain is 400", async (context) => {
  const send = await start(context);
  for (const headers of [
    "Transfer-Encoding: chunked, gzip",
    "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding:",
    "Transfer-Encoding: chunked\r\nContent-Length: 3",
    "Transfer-Encoding: gzip\r\nContent-Length: 3",
    "Content-Length: 3\r\nTransfer-Encoding: chunked",
    "Content-Length: 3\r\nContent-Length: 3",
    "Content-Length: 3\r\nContent-Length: 4",
    "Content-Length: 3, 3",
    "Content-Length: +3",
    "Content-Length: -3",
    "Content-Length: 0x3",
    "Content-Length:",
    "Content-Length: 99999999999999999999",
    "Content-Length : 3",
    "Transfer-Encoding : chunked",
    "X: a\r\n Content-Length: 3",
  ])
    assert.partialDeepStrictEqual(
      await send(posted(headers, chunks)),
      { status: 400, closes: true, json: { code: "bad-request" } },
      headers,
    );
});

test("HTTP/1.0 with a transfer coding closes the connection, also where it should be kept", async (context) => {
  const send = await start(context);
  const bytes = posted("Transfer-Encoding: chunked\r\nConnection: keep-alive", chunks, "1.0");
  assert.partialDeepStrictEqual(await send(bytes), { status: 200, closes: true, json: { body: "abc" } });
});

test("versions other than 1.0 and 1.1 are 505, or not HTTP at all", async (context) => {
  const send = await start(context);
  for (const version of ["2.0", "0.9"])
    assert.partialDeepStrictEqual(
      await send(posted("Content-Length: 3", "abc", version)),
      { status: 505, closes: true, json: { code: "unsupported-version" } },
      version,
    );
  for (const version of ["1.2", "3.0", "1", "x"])
    assert.partialDeepStrictEqual(
      await send(posted("Content-Length: 3", "abc", version)),
      { status: 400, closes: true },
      version,
    );
});

test("a Host that is no host is 400; an empty one is not", async (context) => {
  const send = await start(context);
  for (const host of ["a/b", "a b", "user@a", "a:b", "a, b", "http://a", "[::1", "a\\b", "a?b", "a#b"])
    assert.partialDeepStrictEqual(
      await send(get("/a", host)),
      { status: 400, closes: true, json: { code: "bad-request" } },
      host,
    );
  for (const host of ["", "a", "a_b.test", "a:", "a:80", "[::1]:80", "10.0.0.1:1"])
    assert.equal((await send(get("/a", host))).status, 200, host);
});

test("an expectation other than 100-continue is 417, also beside it", async (context) => {
  const send = await start(context);
  for (const expect of ["wonders", "100-continue, wonders", "wonders, 100-continue", "100-continue=yes"])
    assert.partialDeepStrictEqual(
      await send(posted(`Expect: ${expect}\r\nContent-Length: 3`, "abc")),
      { status: 417, closes: true, json: { code: "expectation-failed" } },
      expect,
    );
  for (const expect of ["100-continue", "100-Continue", "100-continue\r\nExpect: 100-continue", "", " , "])
    assert.partialDeepStrictEqual(
      await send(posted(`Expect: ${expect}\r\nContent-Length: 3`, "abc")),
      { status: 200, json: { body: "abc" } },
      expect,
    );
});
