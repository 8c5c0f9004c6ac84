// `rouse/client` against a real gateway.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import {
  type Callback,
  createClient,
  RouseError,
  type StreamEvent,
  verify,
  WebhookRefused,
} from "../../src/sdk/client/client.ts";
import { operations } from "../../src/sdk/client/shapes.ts";
import { routes } from "../../src/api/routes/index.ts";
import { clientTypesFile, clientTypesText } from "../../src/api/openapi/generate.ts";
import { readFileSync } from "node:fs";
import { gated, startTestGateway } from "../support/gateway.ts";
import { mapping } from "../support/mapped.ts";

const adminToken = "gateway-token-of-many-characters";
const secret = `whsec_${Buffer.from("a secret of twenty-four bytes").toString("base64")}`;
const readable = { results: "reply" };

const clientOf = ({ url, token }: { url: string; token: string }) =>
  createClient({ url, token, longestPauseMs: 200 });

describe("the client", { concurrency: 4 }, () => {
  test("sends, waits, reads and lists", async (t) => {
    const gateway = await startTestGateway(t, {
      gateway: { auth: { token: adminToken } },
      hooks: { ...readable, mappings: [mapping("build/main"), mapping("list", { forEach: "items" })] },
    });
    const rouse = clientOf(gateway);
    const { runId } = await rouse.send("agent", { message: "Why did build 8814 fail?", deliver: false });
    assert.ok(runId);
    const result = await rouse.wait(runId);
    assert.equal(result.status, "succeeded");
    assert.match(result.reply ?? "", /build 8814/);
    assert.deepEqual(await rouse.result(runId), result);

    const again = await rouse.send("build/main", { n: 1 }, { idempotencyKey: "k" });
    assert.deepEqual(await rouse.send("build/main", { n: 1 }, { idempotencyKey: "k" }), again);
    assert.equal((await rouse.send("list", { items: [1, 2] })).runIds?.length, 2);
    assert.ok((await rouse.send("wake", { text: "hello" })).eventId);

    const admin = createClient({ url: `${gateway.url}/`, token: adminToken });
    const ids = new Set<string>();
    for await (const run of admin.runs({ limit: 1, kind: "hook" })) ids.add(run.id);
    assert.equal(ids.size, 4, "every page is read");
    const hooks: string[] = [];
    for await (const request of admin.requests({ limit: 2, hook: ["list", "wake"] }))
      hooks.push(request.hook);
    assert.deepEqual(hooks, ["wake", "list"]);
    assert.equal((await admin.call("getRun", { id: runId })).id, runId);
    assert.equal((await admin.call("getStatus")).parked, 0);
    for await (const request of admin.requests({ hook: "agent" })) {
      const body = await admin.call("getRequestBody", { id: request.id });
      assert.match(await body.text(), /build 8814/);
    }
  });

  test("a refusal is an error with its code; what is wrong is named", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const rouse = clientOf(gateway);
    const refusal = async (work: Promise<unknown>): Promise<RouseError> => {
      const fault: unknown = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      assert.ok(fault instanceof RouseError, String(fault));
      return fault;
    };
    const invalid = await refusal(rouse.send("agent", { message: 7 }));
    assert.deepEqual(
      [invalid.status, invalid.code, invalid.details[0]?.path],
      [400, "invalid-payload", "message"],
    );
    assert.match(invalid.message, /message/);
    const wrong = createClient({ url: gateway.url, token: "another" });
    assert.equal((await refusal(wrong.send("agent", { message: "x" }))).code, "unauthorized");
    assert.equal((await refusal(rouse.wait("0198c0de-0000-7000-8000-000000000000"))).status, 410);
    assert.equal((await refusal(rouse.call("getStatus"))).status, 401, "the hooks' token opens no API");
  });

  test("streams what happens, and ends with the result", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, agents: { list: [gated("main")] } });
    const rouse = clientOf(gateway);
    const { runId = "" } = await rouse.send("agent", { message: "hello", deliver: false });
    const seen: StreamEvent[] = [];
    for await (const event of rouse.stream(runId)) {
      seen.push(event);
      if (event.type === "run" && event.run.status === "running") gateway.put("go");
    }
    assert.equal(seen[0]?.type, "run");
    const end = seen.at(-1);
    assert.ok(end?.type === "end" && end.result.status === "succeeded");
  });

  test("a restart in the middle of a wait and a stream is not noticed", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, agents: { list: [gated("main")] } });
    const port = Number(new URL(gateway.url).port);
    let left = 0;
    const started = Promise.withResolvers<void>();
    // The gateway comes back on another port.
    const redirecting: typeof fetch = async (target, init) => {
      const url = new URL(target instanceof Request ? target.url : target);
      url.port = new URL(gateway.url).port;
      if (/runs/.test(url.pathname) && ++left === 2) started.resolve();
      return fetch(url, init);
    };
    const rouse = createClient({
      url: `http://127.0.0.1:${port}`,
      token: gateway.token,
      fetch: redirecting,
      longestPauseMs: 100,
    });
    const { runId = "" } = await rouse.send("agent", { message: "hello", deliver: false });
    const waiting = rouse.wait(runId);
    const events: StreamEvent[] = [];
    const streaming = (async () => {
      for await (const event of rouse.stream(runId)) events.push(event);
    })();
    await started.promise;
    await gateway.waitFor(
      "it runs",
      async () => (await gateway.inspect.findRun(runId))?.status === "running",
    );
    await gateway.restart();
    gateway.put("go");
    const result = await waiting;
    await streaming;
    assert.equal(result.status, "succeeded");
    assert.ok(events.at(-1)?.type === "end");
    assert.equal(events.filter(({ type }) => type === "end").length, 1);
  });

  test("a caller that gives up gets its reason", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, agents: { list: [gated("main")] } });
    const rouse = clientOf(gateway);
    const { runId = "" } = await rouse.send("agent", { message: "hello", deliver: false });
    const stop = new AbortController();
    const waiting = rouse.wait(runId, { signal: stop.signal });
    stop.abort(new Error("no longer interested"));
    await assert.rejects(waiting, /no longer interested/);
    gateway.put("go");
  });

  test("a callback of a real gateway is verified; another secret, body or time is not", async (t) => {
    const received = Promise.withResolvers<{ headers: Record<string, string>; body: string }>();
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        response.end();
        received.resolve({ headers: request.headers as Record<string, string>, body });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const gateway = await startTestGateway(t, {
      hooks: {
        callbacks: { ci: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret } },
      },
    });
    const { runId } = await clientOf(gateway).send("agent", {
      message: "hello",
      deliver: false,
      callback: "ci",
    });
    const { headers, body } = await received.promise;
    const callback: Callback = await verify(body, headers, secret);
    assert.deepEqual([callback.type, callback.data.runId], ["run.succeeded", runId]);
    assert.deepEqual(callback, new Webhook(secret).verify(body, headers));
    assert.deepEqual(await verify(new TextEncoder().encode(body), new Headers(headers), secret), callback);
    const late = Date.now() + 301_000;
    for (const attempt of [
      () => verify(`${body} `, headers, secret),
      () => verify(body, headers, "another secret"),
      () => verify(body, { ...headers, "webhook-signature": "v1,AAAA" }, secret),
      () => verify(body, { ...headers, "webhook-id": "x" }, secret),
      () => verify(body, {}, secret),
      () => verify(body, headers, secret, { now: late }),
    ])
      await assert.rejects(attempt, WebhookRefused);
  });
});

test("the client's types are made from the routes, and it can call each of them", () => {
  assert.equal(readFileSync(clientTypesFile, "utf8"), clientTypesText(), "npm run generate");
  const known = new Set(Object.values(operations).map(([method, path]) => `${method} ${path}`));
  for (const { method, path } of routes)
    assert.ok(known.has(`${method} /api/v1${path}`), `${method} ${path}`);
  assert.equal(Object.keys(operations).length, routes.length);
});

test("the client needs nothing but what every browser has", () => {
  for (const file of ["client", "events", "types", "verify", "shapes"]) {
    const source = readFileSync(new URL(`../../src/sdk/client/${file}.ts`, import.meta.url), "utf8");
    const imports = [...source.matchAll(/from "([^"]+)"/g)].map(([, name]) => name!);
    assert.deepEqual(
      imports.filter((name) => !name.startsWith("./")),
      [],
      file,
    );
    if (file !== "shapes") assert.doesNotMatch(source, /\bprocess\.|\bBuffer\b|node:/);
  }
});
