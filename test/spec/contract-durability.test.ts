// Contract, sections 1 and 5: nothing accepted is lost when the gateway stops.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { forEachStore, gated, startTestGateway, type TestGateway } from "../support/gateway.ts";

const request = { message: "m", deliver: false, wakeMode: "next-heartbeat" };

describe("durability", { concurrency: 4 }, () => {
  forEachStore("a run released by a stop costs no attempt, and waiting runs are kept", async (t, store) => {
    const agents = { maxConcurrent: 1, list: [gated("main")] };
    const gateway = await startTestGateway(t, { agents }, { store });
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push(String((await gateway.post("agent", request)).json["runId"]));
    await gateway.waitFor("one to run", async () =>
      (await gateway.runs()).some(({ status }) => status === "running"),
    );
    await gateway.restart();
    gateway.put("go");
    for (const id of ids) {
      const { status, attempts, reply } = await gateway.ended(id);
      assert.deepEqual([status, attempts, reply], ["succeeded", 1, "done"]);
    }
    assert.equal((await gateway.events("summary")).length, 3);
  });

  forEachStore("a stop lets running agents finish up to gateway.drainSeconds", async (t, store) => {
    const gateway = await startTestGateway(
      t,
      { gateway: { drainSeconds: 20 }, agents: { list: [gated("main")] } },
      { store },
    );
    const id = String((await gateway.post("agent", request)).json["runId"]);
    await gateway.waitFor("its turn to start", async () => gateway.read("turns").startsWith("starts"));
    const restarted = gateway.restart();
    gateway.put("go");
    await restarted;
    assert.equal((await gateway.ended(id)).status, "succeeded");
    assert.deepEqual(gateway.read("turns"), `starts ${id}\nends ${id}\n`, "one turn, not two");
  });

  forEachStore("events wait over a restart, and a requested heartbeat still comes", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    const waiting = (await gateway.post("wake", { text: "patient", mode: "next-heartbeat" })).json["eventId"];
    await gateway.restart();
    assert.equal((await gateway.inspect.findEvent(String(waiting)))?.shownAt, null);
    await gateway.post("wake", { text: "urgent" });
    await gateway.restart();
    await gateway.waitFor("both to be shown", async () =>
      (await gateway.events()).every(({ shownAt }) => shownAt !== null),
    );
  });

  const wakeHead = (gateway: TestGateway, ...headers: string[]) =>
    [
      "POST /hooks/wake HTTP/1.1",
      "Host: test",
      `Authorization: Bearer ${gateway.token}`,
      ...headers,
      "",
      "",
    ].join("\r\n");

  test("a request whose body was still arriving when the stop started is finished", async (t) => {
    const gateway = await startTestGateway(t, { gateway: { drainSeconds: 20 } });
    const body = '{"text":"just in time","mode":"next-heartbeat"}';
    const client = gateway.raw(wakeHead(gateway, `Content-Length: ${body.length}`, "Expect: 100-continue"));
    assert.equal((await client.next()).status, 100);
    const restarted = gateway.restart();
    client.send(body);
    const { status, headers } = await client.next();
    assert.deepEqual([status, headers["connection"]], [200, "close"]);
    await restarted;
    assert.deepEqual(
      (await gateway.events()).map(({ text }) => plainText(text)),
      ["just in time"],
    );
  });

  test("a stop is bounded by gateway.drainSeconds also when an authenticated body stalled", async (t) => {
    const gateway = await startTestGateway(t, {
      gateway: { drainSeconds: 0.2 },
      hooks: { bodyTimeoutSeconds: 3_600 },
    });
    const client = gateway.raw(wakeHead(gateway, "Content-Length: 50", "Expect: 100-continue"));
    assert.equal((await client.next()).status, 100);
    client.send('{"text":"never');
    const restarted = gateway.restart();
    const { status, headers, json } = await client.next();
    assert.deepEqual([status, json["code"], headers["connection"]], [503, "stopping", "close"]);
    await restarted;
    await client.closed;
    assert.deepEqual(await gateway.events(), []);
  });

  test("a request that comes while it stops is 503 with Retry-After, and so is readiness", async (t) => {
    const gateway = await startTestGateway(t);
    const body = '{"text":"too late"}';
    const [first, ...rest] = wakeHead(gateway, `Content-Length: ${body.length}`);
    const late = gateway.raw(first ?? "");
    const ready = gateway.raw("GET /readyz HTTP/1.1\r\n");
    assert.equal((await gateway.send({ method: "GET", target: "/readyz" })).status, 200);
    const restarted = gateway.restart();
    late.send(rest.join("") + body);
    ready.send("Host: test\r\n\r\n");
    for (const client of [late, ready]) {
      const { status, json, headers } = await client.next();
      assert.deepEqual([status, json["code"]], [503, "stopping"]);
      assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
    }
    await restarted;
    assert.deepEqual(await gateway.events(), []);
  });
});
