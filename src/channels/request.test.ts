import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { deadAddress, going, startPlatform } from "../../test/fixtures/recording-platform.ts";
import { getJson, postForm, postJson, retryAfterMs } from "./request.ts";

const secret = "123:secret";
const post = (url: string, signal = going(), timeoutMs = 30_000) =>
  postJson(`${url}/bot${secret}/x?key=${secret}`, {
    headers: { authorization: `Bearer ${secret}` },
    body: { text: "hello" },
    signal,
    fetch,
    timeoutMs,
  });

/** The outcome of a call whose `fetch` fails. */
const failing = (cause: unknown) =>
  postJson("http://x.test", {
    body: {},
    signal: going(),
    fetch: () => Promise.reject(new TypeError("fetch failed", { cause })),
  });

const withCode = (code: string, more: object = {}) => Object.assign(new Error(secret), { code, ...more });

async function listen(t: TestContext, response: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    response(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("a body goes out as JSON, and a JSON response comes back parsed", async () => {
  const { url, calls } = await startPlatform({
    status: 418,
    headers: { "x-kind": "tea" },
    json: { ok: [1] },
  });
  const response = await postJson(url, { body: { text: "ünï 🙂" }, signal: going(), fetch });
  assert.ok(response.kind === "responded");
  assert.deepEqual([response.status, response.json, response.text], [418, { ok: [1] }, '{"ok":[1]}']);
  assert.equal(response.headers.get("x-kind"), "tea");
  assert.deepEqual([calls[0]!.method, calls[0]!.json], ["POST", { text: "ünï 🙂" }]);
  assert.equal(calls[0]!.headers["content-type"], "application/json");
});

test("given headers win; a form is encoded as one; a GET has no body", async () => {
  const { url, calls } = await startPlatform({ text: "plain" });
  const headers = { "content-type": "application/json; charset=utf-8", authorization: "Bearer x" };
  await postJson(url, { headers, body: {}, signal: going(), fetch });
  await postForm(url, { body: { grant: "a b&c" }, signal: going(), fetch });
  const response = await getJson(url, { headers: { authorization: "Bearer x" }, signal: going(), fetch });
  assert.equal(calls[0]!.headers["content-type"], headers["content-type"]);
  assert.equal(calls[1]!.text, "grant=a+b%26c");
  assert.match(calls[1]!.headers["content-type"]!, /^application\/x-www-form-urlencoded/);
  assert.deepEqual(
    [calls[2]!.method, calls[2]!.text, calls[2]!.headers.authorization],
    ["GET", "", "Bearer x"],
  );
  assert.ok(response.kind === "responded" && response.json === undefined && response.text === "plain");
});

test("no more than 64 KB of a response is read, without waiting for its end", async (t) => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n";
  const port = await listen(
    t,
    (socket) => void socket.once("data", () => socket.write(head + "x".repeat(100_000))),
  );
  const response = await post(`http://127.0.0.1:${port}`);
  assert.ok(response.kind === "responded" && response.text.length === 65_536 && response.json === undefined);
});

test("a redirect is a response, and the token is not sent on", async () => {
  const other = await startPlatform({ json: {} });
  const { url } = await startPlatform({ status: 307, headers: { location: other.url } });
  const response = await post(url);
  assert.ok(response.kind === "responded" && response.status === 307);
  assert.equal(other.calls.length, 0);
});

test("nothing was sent: refused, a name that is not known, no TLS there, closed during the handshake", async (t) => {
  const plain = await startPlatform({ json: {} });
  const port = await listen(t, (socket) => void socket.once("data", () => socket.destroy()));
  const addresses = [
    await deadAddress(),
    "http://nobody.invalid",
    plain.url.replace("http:", "https:"),
    `https://127.0.0.1:${port}`,
    "http://127.0.0.1:1",
    "not an address",
  ];
  for (const address of addresses) {
    const response = await post(address);
    assert.equal(response.kind, "unreachable", address);
    assert.ok(!JSON.stringify(response).includes("secret"));
  }
});

test("it may have been sent: reset, closed, silence, a response that stops or breaks off", async (t) => {
  const closing = await listen(t, (socket) => void socket.once("data", () => socket.destroy()));
  const stalling = await listen(
    t,
    (socket) => void socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")),
  );
  const reset = await startPlatform("reset");
  const cut = await startPlatform("cut");
  const silent = await startPlatform("hang");
  const responses = [
    await post(`http://127.0.0.1:${closing}`),
    await post(`http://127.0.0.1:${stalling}`, going(), 200),
    await post(reset.url),
    await post(cut.url),
    await post(silent.url, going(), 200),
  ];
  for (const response of responses) {
    assert.equal(response.kind, "no-response");
    assert.ok(!JSON.stringify(response).includes("secret"));
  }
});

test("a refusal whose body breaks off is a refusal", async (t) => {
  const port = await listen(
    t,
    (socket) =>
      void socket.once("data", () => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 99\r\n\r\n{")),
  );
  const response = await post(`http://127.0.0.1:${port}`);
  assert.ok(response.kind === "responded" && response.status === 403);
});

test("a request stopped before its start was not sent; later, it may have been", async () => {
  const { url, calls } = await startPlatform("hang");
  assert.equal((await post(url, AbortSignal.abort())).kind, "unreachable");
  assert.equal(calls.length, 0);
  const stop = new AbortController();
  const response = post(url, stop.signal);
  setImmediate(() => stop.abort());
  assert.deepEqual(await response, { kind: "no-response", reason: "stopped before the platform responded" });
});

test("the fault of `fetch` decides whether something was sent", async () => {
  const before = [
    withCode("ECONNREFUSED"),
    withCode("EAI_AGAIN"),
    withCode("UND_ERR_CONNECT_TIMEOUT"),
    withCode("CERT_HAS_EXPIRED"),
    withCode("ERR_TLS_CERT_ALTNAME_INVALID"),
    withCode("ETIMEDOUT", { syscall: "connect" }),
    Object.assign(new AggregateError([withCode("ECONNREFUSED"), withCode("ENETUNREACH")]), {
      code: "ECONNREFUSED",
    }),
  ];
  const after = [
    withCode("ECONNRESET"),
    withCode("EPIPE"),
    withCode("ETIMEDOUT", { syscall: "read" }),
    withCode("UND_ERR_SOCKET"),
    withCode("UND_ERR_HEADERS_TIMEOUT"),
    withCode("UND_ERR_BODY_TIMEOUT"),
    withCode(secret),
    new Error(secret),
    new AggregateError([]),
    secret,
    null,
  ];
  for (const [causes, kind] of [[before, "unreachable"] as const, [after, "no-response"] as const]) {
    for (const cause of causes) {
      const response = await failing(cause);
      assert.equal(response.kind, kind, String((cause as { code?: string } | null)?.code));
      assert.ok(!JSON.stringify(response).includes("secret"));
    }
  }
});

test("Retry-After: seconds, a date by our clock or by theirs, nothing", () => {
  const now = Date.parse("Tue, 17 Nov 2026 10:00:00 GMT");
  const after = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);
  assert.equal(after({}), null);
  assert.equal(after({ "retry-after": "7" }), 7000);
  assert.equal(after({ "retry-after": "Tue, 17 Nov 2026 10:00:05 GMT" }), 5000);
  const slow = { date: "Tue, 17 Nov 2026 09:58:00 GMT", "retry-after": "Tue, 17 Nov 2026 09:58:09 GMT" };
  assert.equal(after(slow), 9000);
});
