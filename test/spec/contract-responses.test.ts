// Contract, section 3: the responses to a caller.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { challengeHeader, proofOf } from "../../src/core/store-proof.ts";
import { startTestGateway } from "../support/gateway.ts";

const uuidVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const json = "application/json; charset=utf-8";

describe("responses", { concurrency: 4 }, () => {
  test("wake gets 200 with ok, the mode and the event's id, a UUID version 7", async (t) => {
    const gateway = await startTestGateway(t);
    for (const mode of ["now", "next-heartbeat"]) {
      const response = await gateway.post("wake", { text: "x", mode });
      assert.deepEqual([response.status, response.headers["content-type"]], [200, json]);
      const { eventId, ...rest } = response.json;
      assert.deepEqual(rest, { ok: true, mode });
      assert.match(String(eventId), uuidVersion7);
      assert.ok(await gateway.inspect.findEvent(String(eventId)));
    }
  });

  test("agent gets 202 with ok and the run's id, a UUID version 7", async (t) => {
    const gateway = await startTestGateway(t);
    const response = await gateway.post("agent", { message: "x" });
    assert.deepEqual([response.status, response.headers["content-type"]], [202, json]);
    const { runId, ...rest } = response.json;
    assert.deepEqual(rest, { ok: true });
    assert.match(String(runId), uuidVersion7);
    assert.ok(await gateway.inspect.findRun(String(runId)));
  });

  test("every stored thing has a UUID version 7", async (t) => {
    const gateway = await startTestGateway(t);
    const { json: accepted } = await gateway.post("agent", { message: "x" });
    await gateway.ended(accepted["runId"]);
    const stored = [
      ...(await gateway.runs()),
      ...(await gateway.runs("heartbeat")),
      ...(await gateway.events()),
      ...(await gateway.deliveries()),
    ];
    assert.ok(stored.length >= 4, "a run, its summary, its delivery and a heartbeat");
    for (const { id } of stored) assert.match(id, uuidVersion7);
  });

  test("one connection serves many requests, in order", async (t) => {
    const gateway = await startTestGateway(t);
    const request = (body: string) =>
      `POST /hooks/wake HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const client = gateway.raw(request('{"text":"one"}') + request("{") + request('{"text":"three"}'));
    const statuses = [
      (await client.next()).status,
      (await client.next()).status,
      (await client.next()).status,
    ];
    assert.deepEqual(statuses, [200, 400, 200]);
  });

  test("GET /healthz is 200 while alive, GET /readyz 200 while able to accept", async (t) => {
    const gateway = await startTestGateway(t);
    for (const target of ["/healthz", "/readyz"]) {
      const response = await gateway.send({ method: "GET", target });
      assert.deepEqual(
        [response.status, response.headers["content-type"], response.json["ok"]],
        [200, json, true],
      );
    }
  });

  test("GET /readyz proves which store the gateway uses, and says nothing to a challenge that is none", async (t) => {
    const gateway = await startTestGateway(t);
    const proofFor = async (challenge: string) => {
      const headers = { [challengeHeader]: challenge };
      const response = await fetch(`${gateway.url}/readyz`, { headers });
      return ((await response.json()) as { proof?: string }).proof;
    };
    const challenge = "a-challenge-of-the-askers-own";
    assert.equal(await proofFor(challenge), proofOf(await gateway.inspect.identity(), challenge));
    assert.equal(await proofFor("short"), undefined);
    assert.equal(await proofFor("x".repeat(65)), undefined);
  });

  test("health needs no token and does not depend on hooks being enabled", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { enabled: false } });
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  });
});
