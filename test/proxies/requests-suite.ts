// One gateway behind each proxy, with good and bad requests. Run by `npm run test:proxies`.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { post } from "../support/process.ts";
import { agentBody, ended, labFor, type LabSettings, token } from "../system/lab.ts";
import { type ProxyKind, proxyKinds, startProxy } from "./proxy.ts";
import { type ProxyRequest, type ProxyResponse, send, sendHttp2 } from "./request.ts";

async function behind(context: TestContext, kind: ProxyKind, hooks: LabSettings["hooks"] = {}) {
  const lab = labFor(context, { settings: { gateway: { trustedProxies: ["127.0.0.1"] }, hooks } });
  const gateway = await lab.start();
  const proxy = await startProxy(context, kind, [gateway.url]);
  return {
    lab,
    gateway,
    proxy,
    send: (options: Partial<ProxyRequest>) => send({ url: proxy.url, ...options }),
  };
}

const wrong = { authorization: "Bearer wrong" };
const message = (size: number): string => agentBody({ message: "x".repeat(size) });
const code = ({ status, json }: ProxyResponse): unknown[] => [status, json?.["code"]];

for (const kind of proxyKinds) {
  suite(kind, () => {
    test("a request is accepted, stored and run, with and without a key, over HTTP/1.1 and HTTP/2", async (context) => {
      const { lab, proxy, send } = await behind(context, kind);
      const store = await lab.openStore();
      for (const headers of [{}, { "idempotency-key": "one" }]) {
        const body = agentBody({ message: `hello ${JSON.stringify(headers)}` });
        const { status, json } = await send({ body, headers });
        assert.equal(status, 202, JSON.stringify(json));
        const run = await ended(store, String(json["runId"]));
        assert.equal(run.status, "succeeded");
        assert.match(plainText(run.request.message), /^hello /);
      }
      const again = await send({
        body: agentBody({ message: `hello {"idempotency-key":"one"}` }),
        headers: { "idempotency-key": "one" },
      });
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal((await sendHttp2(proxy.url, "/hooks/agent", message(10))).status, 202);
    });

    test("wrong tokens are counted for the caller and not for the proxy, whatever address the caller claims", async (context) => {
      const { send } = await behind(context, kind);
      const from = "127.0.0.2";
      for (let at = 1; at <= 20; at++) {
        const headers = { ...wrong, "x-forwarded-for": `203.0.113.${at}` };
        assert.deepEqual(code(await send({ from, headers })), [401, "unauthorized"]);
      }
      const limited = await send({
        from,
        headers: { ...wrong, "x-forwarded-for": "203.0.113.99, 127.0.0.1" },
      });
      assert.deepEqual(code(limited), [429, "too-many-failures"]);
      assert.match(String(limited.headers["retry-after"]), /^[1-9]\d*$/);
      assert.deepEqual(code(await send({ from: "127.0.0.3", headers: wrong })), [401, "unauthorized"]);
      assert.equal((await send({ from, body: message(10) })).status, 202);
    });

    test("a body over the limit gets the gateway's own 413 to read", async (context) => {
      const { gateway, send } = await behind(context, kind);
      const own = await post({ url: gateway.url, hook: "agent", token, body: message(300_000) });
      for (const headers of [{}, { "idempotency-key": "large" }]) {
        for (const size of [300_000, 2_000_000, 3_500_000]) {
          for (const chunked of [false, true]) {
            const { status, json } = await send({ body: message(size), chunked, headers });
            assert.equal(status, 413, `${size} ${chunked}`);
            assert.deepEqual(json, own.body);
          }
        }
      }
    });

    test("a chunked body of 2 MB is stored whole where the limit allows it", async (context) => {
      const { lab, send } = await behind(context, kind, { maxBodyBytes: 3_000_000 });
      const store = await lab.openStore();
      for (const headers of [{}, { "idempotency-key": "large" }]) {
        const { status, json } = await send({ body: message(2_000_000), chunked: true, headers });
        assert.equal(status, 202, JSON.stringify(json));
        const run = await store.findRun(String(json["runId"]));
        assert.equal(plainText(run!.request.message).length, 2_000_000);
      }
    });

    test("a caller that waits for 100 Continue gets it", async (context) => {
      const { send } = await behind(context, kind);
      const good = await send({ body: message(200_000), waits: true });
      assert.deepEqual([good.status, good.continued], [202, true]);
      const keyed = await send({
        body: message(200_000),
        waits: true,
        headers: { "idempotency-key": "waits" },
      });
      assert.deepEqual([keyed.status, keyed.continued], [202, true]);
      const refused = await send({ body: message(200_000), waits: true, headers: wrong });
      assert.equal(refused.status, 401);
    });

    test("nothing but the hooks is exposed, and paths are passed on as they came", async (context) => {
      const { gateway, send } = await behind(context, kind);
      const outside = ["/", "/metrics", "/healthz", "/readyz", "/console", "/api/runs", "/admin", "/hooksx"];
      const crooked = [
        "/hooks/../metrics",
        "/hooks/%2e%2e/readyz",
        "/hooks/..%2freadyz",
        "//readyz",
        "/hooks/x/../../readyz",
      ];
      const ambiguous = ["/hooks//agent", "/hooks/./agent", "/hooks/a%2fb", "/x/../hooks/agent"];
      assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
      for (const method of ["GET", "POST"]) {
        for (const path of [...outside, ...crooked, ...ambiguous]) {
          const response = await send({ path, method });
          assert.deepEqual(code(response), [404, "not-found"], `${method} ${path}`);
        }
      }
      for (const headers of [{}, { "idempotency-key": "crooked" }])
        assert.deepEqual(code(await send({ path: "/hooks//agent", body: message(1), headers })), [
          404,
          "not-found",
        ]);
      assert.deepEqual(code(await send({ path: "/hooks/agent?token=x" })), [400, "token-in-query"]);
      assert.deepEqual(code(await send({ method: "GET" })), [405, "method-not-allowed"]);
    });

    test("with the gateway gone, the proxy responds with no-answer", async (context) => {
      const { gateway, send } = await behind(context, kind);
      await gateway.kill();
      for (const headers of [{}, { "idempotency-key": "gone" }]) {
        const response = await send({ body: message(1), headers });
        assert.ok([502, 503].includes(response.status), String(response.status));
        assert.equal(response.json["code"], "no-answer");
        assert.equal(response.headers["retry-after"], "1");
      }
    });
  });
}

suite("only nginx", () => {
  const kind = "nginx";
  if (!proxyKinds.includes(kind)) return;

  // Caddy reads the body first, up to its own limits.
  test("a wrong token is refused before the body has come", async (context) => {
    const { send } = await behind(context, kind);
    // Announced and never sent: a proxy that waits for the body would wait for ever.
    const headers = { ...wrong, "content-length": "200000" };
    assert.deepEqual(code(await send({ headers, body: "{" })), [401, "unauthorized"]);
  });

  // Caddy closes the connection then, and the response may be lost.
  test("beyond the limit of the proxy the response has the same shape", async (context) => {
    const { send } = await behind(context, kind);
    const { status, json } = await send({ body: message(6_000_000) });
    assert.deepEqual([status, json["ok"], json["code"]], [413, false, "body-too-large"]);
  });
});
