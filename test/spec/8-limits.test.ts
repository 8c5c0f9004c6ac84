// Specification, section 8: sizes, times and numbers.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";
import { gated, loadSettings, startTestGateway, type TestGateway } from "../support/gateway.ts";

const head = (gateway: TestGateway, ...headers: string[]): string =>
  [
    "POST /hooks/wake HTTP/1.1",
    "Host: test",
    `Authorization: Bearer ${gateway.token}`,
    ...headers,
    "",
    "",
  ].join("\r\n");

/** A wake of exactly this many bytes. */
function wakeOf(bytes: number): string {
  const empty = '{"mode":"next-heartbeat","text":""}';
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}

/** Such a run ends with only its summary: a heartbeat would wait, too. */
const quiet = { wakeMode: "next-heartbeat", deliver: false };

const defaults = (t: TestContext) => {
  const loaded = loadSettings(t, {});
  assert.ok(loaded.ok);
  return loaded.config;
};

test("the default numbers", (t) => {
  const { hooks, agents, gateway } = defaults(t);
  assert.equal(hooks.maxBodyBytes, 262_144);
  assert.equal(hooks.bodyTimeoutSeconds, 30);
  assert.equal(hooks.maxQueued, 100_000);
  assert.deepEqual(hooks.authFailures, { max: 20, windowSeconds: 60 });
  assert.deepEqual([agents.timeoutSeconds, agents.maxConcurrent, agents.maxAttempts], [600, 4, 6]);
  assert.equal(agents.keepToolCalls, false);
  assert.equal(agents.heartbeatEveryMs, 30 * 60_000);
  assert.equal(gateway.drainSeconds, 30);
});

describe("limits of a request", { concurrency: 4 }, () => {
  test("a payload up to the maximum is taken, one byte more is 413", async (t) => {
    const gateway = await startTestGateway(t);
    assert.equal((await gateway.post("wake", wakeOf(262_144))).status, 200);
    const { status, json } = await gateway.post("wake", wakeOf(262_145));
    assert.deepEqual([status, json["code"]], [413, "body-too-large"]);
    assert.equal((await gateway.events()).length, 1);
  });

  test("hooks.maxBodyBytes sets the maximum", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { maxBodyBytes: 100 } });
    assert.equal((await gateway.post("wake", wakeOf(100))).status, 200);
    assert.equal((await gateway.post("wake", wakeOf(101))).status, 413);
  });

  test("oversized payloads: refused before their end", async (t) => {
    const gateway = await startTestGateway(t);

    await t.test("413 comes on Content-Length, before one byte of the body", async () => {
      const client = gateway.raw(head(gateway, "Content-Length: 1000000000"));
      assert.equal((await client.next()).status, 413);
    });

    await t.test("413 comes before 100 Continue", async () => {
      const client = gateway.raw(head(gateway, "Content-Length: 1000000000", "Expect: 100-continue"));
      assert.equal((await client.next()).status, 413);
    });

    await t.test(
      "a streamed body is 413 as soon as it passes the maximum, without waiting for its end",
      async () => {
        const client = gateway.raw(head(gateway, "Transfer-Encoding: chunked"));
        client.send(`30d40\r\n${"x".repeat(200000)}\r\n`);
        client.send(`30d40\r\n${"x".repeat(200000)}\r\n`);
        const { status, json } = await client.next();
        assert.deepEqual([status, json["code"]], [413, "body-too-large"]);
      },
    );
  });

  test("streamed payloads, and callers that send on after a 413", async (t) => {
    const gateway = await startTestGateway(t);

    await t.test("a streamed body within the maximum is taken", async () => {
      const text = wakeOf(100);
      const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
      const client = gateway.raw(head(gateway, "Transfer-Encoding: chunked"));
      client.send(chunk(text.slice(0, 50)));
      client.send(`${chunk(text.slice(50))}0\r\n\r\n`);
      assert.equal((await client.next()).status, 200);
    });

    await t.test(
      "an authenticated caller that goes on sending gets the 413 to read, not a reset",
      async () => {
        const bytes = 4 * 1024 * 1024;
        for (const announced of [`Content-Length: ${bytes}`, "Transfer-Encoding: chunked"]) {
          const client = gateway.raw(head(gateway, announced));
          const faults: unknown[] = [];
          client.socket.on("error", (fault) => faults.push(fault));
          const isChunked = announced.startsWith("Transfer");
          const wire = isChunked
            ? `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n0\r\n\r\n`
            : "x".repeat(bytes);
          const sent = new Promise<void>((resolve) => client.socket.write(wire, () => resolve()));
          assert.equal((await client.next()).status, 413, announced);
          await sent;
          assert.deepEqual(faults, [], announced);
        }
      },
    );
  });

  test("a body that does not arrive in hooks.bodyTimeoutSeconds is 408, for the caller to read", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { bodyTimeoutSeconds: 0.2 } });
    for (const announced of ["Content-Length: 50", "Transfer-Encoding: chunked"]) {
      const client = gateway.raw(`${head(gateway, announced)}5\r\n{"tex`);
      const { status, json } = await client.next();
      assert.deepEqual([status, json["code"]], [408, "body-timeout"], announced);
    }
    assert.deepEqual(await gateway.events(), []);
  });

  test("headers that are too large are 431", async (t) => {
    const gateway = await startTestGateway(t);
    const client = gateway.raw(head(gateway, `X-Large: ${"x".repeat(100_000)}`));
    const { status, json } = await client.next();
    assert.deepEqual([status, json["code"]], [431, "headers-too-large"]);
  });

  test("JSON nested too deep is refused, and the next request is served", async (t) => {
    const gateway = await startTestGateway(t);
    const deep = `{"text":"x","deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const { status, json } = await gateway.post("wake", deep);
    assert.deepEqual([status, json["code"]], [400, "invalid-json"]);
    assert.equal((await gateway.post("wake", { text: "x" })).status, 200);
  });
});

describe("limits of the queue and the slots", { concurrency: 4 }, () => {
  test("more than hooks.maxQueued runs waiting: 503 with Retry-After, until fewer wait", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { maxQueued: 2 },
      agents: { maxConcurrent: 1, list: [gated("main")] },
    });
    const message = { message: "m", wakeMode: "next-heartbeat", deliver: false };
    const post = () => gateway.post("agent", message);
    const postFirst = () => gateway.post("agent", message, ["Idempotency-Key: first"]);
    const first = await postFirst();
    assert.equal(first.status, 202);
    await gateway.waitFor("the first to run", async () => (await gateway.runs())[0]?.status === "running");
    const full = await gateway.waitFor("the queue to be full", async () => {
      const response = await post();
      return response.status !== 202 && response;
    });
    assert.deepEqual([full.status, full.json["code"]], [503, "queue-full"]);
    assert.match(full.headers["retry-after"] ?? "", /^[1-9]\d*$/);
    const again = await postFirst();
    assert.deepEqual([again.status, again.json], [202, first.json], "a repeated request is replayed");
    const statuses = (await gateway.runs()).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), ["queued", "queued", "running"], "a running run does not wait");
    assert.equal((await gateway.post("wake", wakeOf(100))).status, 200, "a wake is no run");
    gateway.put("go");
    await gateway.waitFor("the queue to admit a run", async () => (await post()).status === 202);
  });

  test("more than hooks.maxWaitingEvents or hooks.maxWaitingBytes waiting: a wake is 503, a run is not", async (t) => {
    const rest = { agents: { defaults: { heartbeat: { every: 0 } } } };
    const many = await startTestGateway(t, { hooks: { maxWaitingEvents: 2 }, ...rest });
    const large = await startTestGateway(t, { hooks: { maxWaitingBytes: 1024 }, ...rest });
    const post = (gateway: typeof many, text: string, ...headers: string[]) =>
      gateway.post("wake", { text, mode: "next-heartbeat" }, headers);
    for (const [gateway, text, taken] of [
      [many, "short", 2],
      [large, "x".repeat(2000), 1],
    ] as const) {
      const first = await post(gateway, text, "Idempotency-Key: first");
      for (let count = 1; count < taken; count++) assert.equal((await post(gateway, text)).status, 200);
      const full = await post(gateway, text);
      assert.deepEqual([full.status, full.json["code"]], [503, "queue-full"]);
      assert.match(full.headers["retry-after"] ?? "", /^[1-9]\d*$/);
      const again = await post(gateway, text, "Idempotency-Key: first");
      assert.deepEqual([again.status, again.json], [200, first.json], "a repeated request is replayed");
      assert.equal((await gateway.post("agent", { ...quiet, message: "m" })).status, 202);
    }
  });

  test("a run that started at once and failed waits for its next attempt, and counts as waiting", async (t) => {
    const busy = createServer((_, response) => void response.writeHead(429, { "retry-after": "50" }).end());
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    t.after(() => busy.close());
    const { port } = busy.address() as AddressInfo;
    const gateway = await startTestGateway(t, {
      hooks: { maxQueued: 2 },
      agents: { list: [{ id: "main", kind: "http", url: `http://127.0.0.1:${port}/` }] },
    });
    const post = () => gateway.post("agent", { ...quiet, message: "m" });
    for (let waiting = 1; waiting <= 2; waiting++) {
      assert.equal((await post()).status, 202);
      await gateway.waitFor("its first attempt to fail", async () => {
        const runs = await gateway.runs();
        return runs.length === waiting && runs.every((run) => run.status === "queued" && run.attempts === 1);
      });
    }
    assert.equal((await post()).json["code"], "queue-full");
  });

  test("ended runs do not count as waiting, however few may wait", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { maxQueued: 1 }, agents: { maxConcurrent: 1 } });
    for (let count = 0; count < 10; count++) {
      const { status, json } = await gateway.post("agent", { ...quiet, message: "m" });
      assert.equal(status, 202);
      await gateway.ended(String(json["runId"]));
    }
  });

  test("at most agents.maxConcurrent runs at once, and the main session has a slot of its own", async (t) => {
    const gateway = await startTestGateway(t, {
      agents: { maxConcurrent: 2, list: [{ id: "main" }, gated("slow")] },
    });
    for (let count = 0; count < 4; count++)
      await gateway.post("agent", { message: "m", agentId: "slow", deliver: false });
    const statuses = async () => (await gateway.runs()).map(({ status }) => status);
    await gateway.waitFor(
      "two to run",
      async () => (await statuses()).filter((each) => each === "running").length === 2,
    );
    const { json } = await gateway.post("wake", { text: "while hooks are flooded" });
    await gateway.waitFor("the event to be shown", async () => {
      const event = await gateway.inspect.findEvent(String(json["eventId"]));
      return event?.shownAt != null;
    });
    assert.deepEqual((await statuses()).toSorted(), ["queued", "queued", "running", "running"]);
    gateway.put("go");
    for (const { id } of await gateway.runs()) assert.equal((await gateway.ended(id)).status, "succeeded");
  });
});
