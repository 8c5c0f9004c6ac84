import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { rawClient } from "../../test/fixtures/raw-client.ts";
import { openRelay, type PassedRequest, type RelayOptions } from "./relay.ts";

type Seen = Pick<IncomingMessage, "method" | "url" | "rawHeaders"> & { body: string };

async function open(t: TestContext, more: Partial<RelayOptions> = {}) {
  const seen: Seen[] = [];
  const passed: PassedRequest[] = [];
  const gateway = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, rawHeaders } = request;
      seen.push({ method, url, rawHeaders, body: Buffer.concat(chunks).toString("latin1") });
      response.writeHead(202, { "X-Own": "yes", "Content-Length": 11 }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => void gateway.listen(0, "127.0.0.1", resolve));
  const relay = await openRelay({
    hooks: [
      { name: "github", methods: new Set(["POST"]), sender: null },
      { name: "a/b", methods: new Set(["POST", "GET"]), sender: null },
    ],
    hooksPath: "/hooks",
    gateway: { host: "127.0.0.1", port: (gateway.address() as AddressInfo).port },
    callerHeader: null,
    onPassed: (each) => passed.push(each),
    ...more,
  });
  t.after(async () => {
    await relay.close();
    gateway.closeAllConnections();
    gateway.close();
  });
  const send = async (head: string, body = "") => {
    const client = rawClient(relay.port);
    t.after(() => client.socket.destroy());
    client.send(
      Buffer.concat([
        Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n`),
        Buffer.from(body, "latin1"),
      ]),
    );
    return client.next();
  };
  return { relay, gateway, seen, passed, send };
}

const valueOf = ({ rawHeaders }: Seen, name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);

test("an exposed hook's request arrives unchanged, and its response goes back", async (t) => {
  const { send, seen, passed } = await open(t);
  const body = '{"a": 1,\r\n  "b": "\u00ff\u0000"}';
  const response = await send(
    "POST /hooks/github?x=%20&token2=1 HTTP/1.1\r\nHost: public.example\r\nX-Sig: a\r\nX-Sig: b\r\nContent-Type: Application/JSON",
    body,
  );
  assert.deepEqual([response.status, response.text, response.headers["x-own"]], [202, '{"ok":true}', "yes"]);
  const [request] = seen;
  assert.ok(request);
  assert.deepEqual(
    [request.method, request.url, request.body],
    ["POST", "/hooks/github?x=%20&token2=1", body],
  );
  assert.deepEqual(valueOf(request, "x-sig"), ["a", "b"]);
  assert.deepEqual(valueOf(request, "host"), ["public.example"]);
  assert.deepEqual(valueOf(request, "content-type"), ["Application/JSON"]);
  assert.deepEqual(
    passed.map(({ name, method, status }) => [name, method, status]),
    [["github", "POST", 202]],
  );
});

test("a body without a length arrives whole", async (t) => {
  const { relay, seen } = await open(t);
  const client = rawClient(relay.port);
  t.after(() => client.socket.destroy());
  client.send(
    "POST /hooks/github HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
  );
  assert.equal((await client.next()).status, 202);
  assert.equal(seen[0]?.body, "abcde");
});

const closed = [
  "POST /hooks/wake",
  "POST /hooks/agent",
  "POST /hooks/other",
  "POST /hooks",
  "POST /hooks/",
  "POST /hooks/githubx",
  "POST /hooks/GitHub",
  "POST /hooks/a",
  "GET /hooks/github",
  "PUT /hooks/github",
  "OPTIONS /hooks/github",
  "GET /metrics",
  "GET /healthz",
  "GET /readyz",
  "GET /",
  "POST /gmail-pubsub",
  "POST //hooks/github",
  "POST /hooks//github",
  "POST /hooks/./github",
  "POST /hooks/github/../agent",
  "POST /hooks/github/..%2fagent",
  "POST /hooks/github%2f..%2fagent",
  "POST /hooks/github/%2e%2e/agent",
  "POST /hooks/a%2fb",
  "POST /hooks/%67ithub",
  "POST /hooks\\github",
  "POST http://localhost/hooks/github",
  "POST http://localhost/hooks/agent",
  "GET /metrics?/hooks/github",
  "GET /metrics#/hooks/github",
];

test("everything else is 404 and reaches no gateway, whatever Host says", async (t) => {
  const { send, seen, passed } = await open(t);
  for (const line of closed)
    for (const host of ["public.example", "localhost", "127.0.0.1"])
      assert.equal((await send(`${line} HTTP/1.1\r\nHost: ${host}`)).status, 404, line);
  assert.deepEqual([seen, passed], [[], []]);
});

test("the caller that the tunnel names stands last in X-Forwarded-For, whatever the caller wrote", async (t) => {
  const { send, seen } = await open(t, { callerHeader: "cf-connecting-ip" });
  const start = "POST /hooks/github HTTP/1.1\r\nHost: x\r\n";
  await send(`${start}X-Forwarded-For: 198.51.100.1\r\nCf-Connecting-Ip: 203.0.113.9`);
  await send(`${start}Cf-Connecting-Ip: 2001:db8::1`);
  await send(`${start}X-Forwarded-For: 198.51.100.1`);
  await send(`${start}X-Forwarded-For: 198.51.100.1\r\nCf-Connecting-Ip: 203.0.113.9, 10.0.0.1`);
  assert.deepEqual(
    seen.map((request) => valueOf(request, "x-forwarded-for")),
    [["198.51.100.1, 203.0.113.9"], ["2001:db8::1"], ["198.51.100.1, unknown"], ["198.51.100.1, unknown"]],
  );
});

test("a tunnel that writes X-Forwarded-For itself is not written over", async (t) => {
  const { send, seen } = await open(t);
  await send("POST /hooks/github HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9");
  assert.deepEqual(valueOf(seen[0]!, "x-forwarded-for"), ["203.0.113.9"]);
});

test("a gateway that is gone is a 502", async (t) => {
  const { send, gateway, passed } = await open(t);
  gateway.close();
  const response = await send("POST /hooks/github HTTP/1.1\r\nHost: x");
  assert.deepEqual([response.status, response.json["code"]], [502, "no-answer"]);
  assert.equal(passed[0]?.status, 502);
});

test("the text that shows the relay from outside is there until it has been seen", async (t) => {
  const { relay, send } = await open(t);
  relay.showAt({ path: "/hooks/expose-1", text: "it is me" });
  assert.equal((await send("GET /hooks/expose-1 HTTP/1.1\r\nHost: x")).json["shown"], "it is me");
  assert.equal((await send("GET /hooks/expose-2 HTTP/1.1\r\nHost: x")).status, 404);
  relay.showAt(null);
  assert.equal((await send("GET /hooks/expose-1 HTTP/1.1\r\nHost: x")).status, 404);
});
