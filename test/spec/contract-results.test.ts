// Contract: what callers may read of the runs that they started, by waiting and by polling.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../src/core/id.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import { forEachStore, gated, program, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, mapping } from "../support/mapped.ts";

const ci = "ci-token-that-is-long-enough-1";
const ops = "ops-token-that-is-long-enough-2";
const operator = "gateway-token-that-is-long-enough";
const work = { message: "build it", wakeMode: "next-heartbeat", deliver: false };

const readable = { results: "reply" };

const bearer = (token: string): string => `Authorization: Bearer ${token}`;

const poll = (gateway: TestGateway, target: string, token = gateway.token, headers: readonly string[] = []) =>
  gateway.send({ method: "GET", target, headers: [bearer(token), ...headers] });

const post = (
  gateway: TestGateway,
  name: string,
  headers: readonly string[],
  body: unknown = work,
  token?: string,
) =>
  gateway.send({
    target: `/hooks/${name}`,
    headers: [bearer(token ?? gateway.token), ...headers],
    body: JSON.stringify(body),
  });

const resultOf = (gateway: TestGateway, runId: unknown, token?: string) =>
  poll(gateway, `/hooks/runs/${String(runId)}`, token);

/** A run that waits for `put("go")`. */
const held = { agents: { list: [gated("main")] } };

const isTime = (value: unknown): boolean =>
  typeof value === "string" && new Date(value).toISOString() === value;

function assertResult({ json }: RawResponse, parts: Record<string, unknown>): void {
  const { createdAt, startedAt, endedAt, ...rest } = json;
  assert.ok([createdAt, startedAt, endedAt].every(isTime), JSON.stringify(json));
  assert.deepEqual(rest, parts);
}

describe("results: waiting", { concurrency: 4 }, () => {
  forEachStore("who waits gets the result, in one response", async (t, store) => {
    const gateway = await startTestGateway(t, { hooks: readable }, { store });
    const response = await post(gateway, "agent", ["Prefer: wait=20"]);
    const { runId } = response.json;
    assert.equal(response.status, 200);
    assert.equal(response.headers["preference-applied"], "wait=20");
    assert.equal(response.headers["location"], `/hooks/runs/${String(runId)}`);
    assert.equal(response.headers["retry-after"], undefined);
    const run = await gateway.ended(runId);
    assertResult(response, {
      ok: true,
      runId,
      status: "succeeded",
      reply: run.reply,
      error: null,
      attempts: 1,
      usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    });
    assert.match(String(run.reply), /build it/);
    assert.deepEqual((await resultOf(gateway, runId)).json, response.json);
  });

  test("`waitForCompletion` in the body of agent waits for up to a minute", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const response = await post(gateway, "agent", [], { ...work, waitForCompletion: true });
    assert.deepEqual([response.status, response.json["status"]], [200, "succeeded"]);
    assert.equal(response.headers["preference-applied"], "wait=60");
    const both = await post(gateway, "agent", ["Prefer: wait=5"], { ...work, waitForCompletion: true });
    assert.equal(both.headers["preference-applied"], "wait=5");
    const escaped = JSON.stringify({ ...work, waitForCompletion: true }).replace("waitFor", "wait\\u0046or");
    const read = await gateway.send({
      target: "/hooks/agent",
      headers: [bearer(gateway.token)],
      body: escaped,
    });
    assert.equal(read.headers["preference-applied"], "wait=60");
  });

  test("`waitForCompletion: false` changes nothing, and any other type is refused", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const usual = await post(gateway, "agent", [], { ...work, waitForCompletion: false });
    assert.equal(usual.status, 202);
    assert.deepEqual(usual.json, { ok: true, runId: usual.json["runId"] });
    for (const waitForCompletion of ["yes", 1, null, {}, []]) {
      const refused = await post(gateway, "agent", [], { ...work, waitForCompletion });
      assert.deepEqual(codeOf(refused), [400, "invalid-payload"]);
      assert.match(refused.text, /"path":"waitForCompletion"/);
    }
    assert.equal((await gateway.runs()).length, 1);
  });

  test("a run that does not end in time is a 202 that says where to ask again", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const response = await post(gateway, "agent", ["Prefer: wait=1"]);
    const { runId } = response.json;
    assert.equal(response.status, 202);
    assert.deepEqual(response.json, { ok: true, runId, status: "running" });
    assert.equal(response.headers["location"], `/hooks/runs/${String(runId)}`);
    assert.equal(response.headers["retry-after"], "2");
    assert.equal(response.headers["preference-applied"], "wait=1");
    gateway.put("go");
    assert.equal((await gateway.ended(runId)).status, "succeeded");
  });

  test("a failed run is a result, too", async (t) => {
    const agents = { list: [program("main", "process.stderr.write('no space left'); process.exit(3);")] };
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const response = await post(gateway, "agent", ["Prefer: wait=60"]);
    assert.deepEqual(
      [response.status, response.json["status"], response.json["reply"]],
      [200, "failed", null],
    );
    assert.equal(response.json["error"], (await gateway.ended(response.json["runId"])).error);
  });

  test("with forEach, all of its runs are waited for", async (t) => {
    const mappings = [mapping("many", { forEach: "items", messageTemplate: "{{ items[0] }}" })];
    const gateway = await startTestGateway(t, { hooks: { ...readable, mappings } });
    const response = await post(gateway, "many", ["Prefer: wait=30"], { items: ["a", "b", "c"] });
    const { runIds, runs } = response.json as { runIds: string[]; runs: Record<string, unknown>[] };
    assert.equal(response.status, 200);
    assert.equal(response.headers["location"], undefined);
    assert.equal(response.headers["preference-applied"], "wait=30");
    assert.deepEqual(
      runs.map(({ runId }) => runId),
      runIds,
    );
    for (const [at, word] of ["a", "b", "c"].entries())
      assert.match(String(runs[at]?.["reply"]), new RegExp(word));
    assert.ok(runs.every((run) => !("ok" in run)));
  });

  test("with forEach, those that have not ended in time are shown with their states", async (t) => {
    const mappings = [mapping("many", { forEach: "items" })];
    const gateway = await startTestGateway(t, { hooks: { ...readable, mappings }, ...held });
    const response = await post(gateway, "many", ["Prefer: wait=1"], { items: [1, 2] });
    const { runIds, runs } = response.json as { runIds: string[]; runs: Record<string, unknown>[] };
    assert.equal(response.status, 202);
    assert.equal(response.headers["retry-after"], "2");
    assert.deepEqual(
      runs,
      runIds.map((runId) => ({ runId, status: "running" })),
    );
    gateway.put("go");
    for (const runId of runIds) await gateway.ended(runId);
  });

  test("a wake has nothing to wait for", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const response = await post(gateway, "wake", ["Prefer: wait=60"], { text: "hello" });
    assert.deepEqual([response.status, response.json["mode"]], [200, "now"]);
    assert.equal(response.headers["preference-applied"], undefined);
    assert.equal(response.headers["location"], undefined);
  });

  test("without results nobody waits, and nothing says where to ask", async (t) => {
    const gateway = await startTestGateway(t, held);
    const response = await post(gateway, "agent", ["Prefer: wait=60", "Accept: text/event-stream"], {
      ...work,
      waitForCompletion: true,
    });
    assert.deepEqual(response.json, { ok: true, runId: response.json["runId"] });
    assert.equal(response.status, 202);
    for (const name of ["location", "preference-applied", "retry-after"])
      assert.equal(response.headers[name], undefined, name);
  });

  test("who does not want to wait hears where the result will be, and a repeated request hears it again", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const key = ["Idempotency-Key: one"];
    const [first, again] = [await post(gateway, "agent", key), await post(gateway, "agent", key)];
    assert.equal(first.status, 202);
    assert.deepEqual(first.json, { ok: true, runId: first.json["runId"] });
    assert.equal(first.headers["location"], `/hooks/runs/${String(first.json["runId"])}`);
    assert.deepEqual([again.text, again.headers["location"]], [first.text, first.headers["location"]]);
    assert.equal(again.headers["idempotent-replayed"], "true");
  });

  test("a repeated Idempotency-Key waits for the first run, also after a restart", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const key = "Idempotency-Key: one";
    const { runId } = (await post(gateway, "agent", [key])).json;
    const wait = () => post(gateway, "agent", [key, "Prefer: wait=60"]);
    const twins = [wait(), wait()];
    await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
    gateway.put("go");
    await gateway.ended(runId);
    for (const twin of await Promise.all(twins)) {
      assert.deepEqual([twin.status, twin.json["runId"], twin.json["status"]], [200, runId, "succeeded"]);
      assert.equal(twin.headers["idempotent-replayed"], "true");
      assert.equal(twin.headers["preference-applied"], "wait=60");
    }
    await gateway.restart();
    const late = await wait();
    assert.deepEqual(
      [late.status, late.json["runId"], late.headers["idempotent-replayed"]],
      [200, runId, "true"],
    );
    assert.equal((await gateway.runs()).length, 1);
  });

  test("who repeats the request of another token does not learn its result", async (t) => {
    const tokens = { ci: { token: ci, hooks: ["agent"] } };
    const gateway = await startTestGateway(t, { hooks: { ...readable, tokens } });
    const key = "Idempotency-Key: one";
    const first = await post(gateway, "agent", [key], work, ci);
    await gateway.ended(first.json["runId"]);
    const other = await post(gateway, "agent", [key, "Prefer: wait=10"]);
    assert.deepEqual([other.status, other.text], [202, first.text]);
    assert.equal(other.headers["preference-applied"], undefined);
  });

  test("the first preference counts, one that is malformed is left out, and a minute is the most", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const cases: [string[], string | undefined][] = [
      [["Prefer: respond-async, wait=7"], "wait=7"],
      [['Prefer: handling=lenient; x="a,wait=3"', 'prefer: WAIT = "8"; because=i'], "wait=8"],
      [["Prefer: wait=9, wait=3"], "wait=9"],
      [["Prefer: wait=3600"], "wait=60"],
      [["Prefer: wait"], undefined],
      [["Prefer: wait=0"], undefined],
      [["Prefer: wait=soon"], undefined],
      [["Prefer: wait=-1"], undefined],
      [["Prefer: wait=1.5"], undefined],
      [["Prefer: wait=5 5, ="], undefined],
    ];
    for (const [headers, applied] of cases) {
      const response = await post(gateway, "agent", headers);
      assert.equal(response.headers["preference-applied"], applied, headers.join());
      assert.equal(response.status, applied === undefined ? 202 : 200, headers.join());
    }
  });

  test("above `hooks.maxWaiting` the answer comes at once, and a free place can be taken again", async (t) => {
    const mappings = [mapping("many", { forEach: "items" })];
    const gateway = await startTestGateway(t, { hooks: { ...readable, maxWaiting: 1, mappings }, ...held });
    const first = post(gateway, "agent", ["Prefer: wait=60"]);
    await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
    const second = await post(gateway, "agent", ["Prefer: wait=60"]);
    assert.equal(second.status, 202);
    assert.equal(second.headers["preference-applied"], undefined);
    assert.deepEqual(
      [second.headers["location"], second.headers["retry-after"]],
      [`/hooks/runs/${String(second.json["runId"])}`, "2"],
    );
    gateway.put("go");
    assert.equal((await first).status, 200);
    assert.equal((await post(gateway, "agent", ["Prefer: wait=60"])).status, 200);
    const many = await post(gateway, "many", ["Prefer: wait=60"], { items: [1, 2] });
    assert.equal(many.headers["preference-applied"], undefined, "each run takes a place");
  });

  test("a caller that hangs up cancels nothing and frees its place", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { ...readable, maxWaiting: 1 }, ...held });
    const body = JSON.stringify(work);
    const caller = gateway.raw(
      `POST /hooks/agent HTTP/1.1\r\nHost: x\r\n${bearer(gateway.token)}\r\nPrefer: wait=60\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
    caller.socket.destroy();
    const [run] = await gateway.runs();
    await gateway.waitFor("the place", async () => {
      const response = await poll(gateway, `/hooks/runs/${run!.id}`, gateway.token, ["Prefer: wait=1"]);
      return response.headers["preference-applied"] === "wait=1";
    });
    gateway.put("go");
    assert.equal((await gateway.ended(run!.id)).status, "succeeded");
  });

  test("who closes only its own side gets the 202 at once", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const body = JSON.stringify(work);
    const caller = gateway.raw(
      `POST /hooks/agent HTTP/1.1\r\nHost: x\r\n${bearer(gateway.token)}\r\nPrefer: wait=60\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    caller.socket.end();
    const response = await caller.next();
    assert.deepEqual([response.status, response.headers["preference-applied"]], [202, undefined]);
    gateway.put("go");
    await gateway.ended(response.json["runId"]);
  });

  test("at a stop, who waits gets the 202 at once, and the stop waits for nobody", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: readable,
      gateway: { drainSeconds: 60, auth: { token: operator } },
      ...held,
    });
    const waiting = post(gateway, "agent", ["Prefer: wait=60"]);
    await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
    const [run] = await gateway.runs();
    const polling = poll(gateway, `/hooks/runs/${run!.id}`, operator, ["Prefer: wait=60"]);
    await gateway.waitFor(
      "the poll",
      async () => (await poll(gateway, "/hooks/runs/x", operator)).status === 404,
    );
    const restarted = gateway.restart();
    const response = await waiting;
    assert.deepEqual([response.status, response.json["status"]], [202, "running"]);
    assert.equal(response.headers["preference-applied"], undefined);
    assert.equal(response.headers["connection"], "close");
    const polled = await polling;
    assert.deepEqual([polled.status, polled.json["status"]], [200, "running"]);
    gateway.put("go");
    await restarted;
    assert.equal((await resultOf(gateway, run!.id)).json["status"], "succeeded");
  });
});

describe("results: polling", { concurrency: 4 }, () => {
  forEachStore("the result is where the 202 said, before and after the end", async (t, store) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held }, { store });
    const { headers } = await post(gateway, "agent", []);
    const before = await poll(gateway, headers["location"]!);
    assert.equal(before.status, 200);
    assert.equal(before.headers["retry-after"], "2");
    assert.equal(before.headers["cache-control"], "private, no-cache");
    assert.deepEqual([before.json["reply"], before.json["endedAt"]], [null, null]);
    gateway.put("go");
    await gateway.ended(before.json["runId"]);
    const after = await poll(gateway, headers["location"]!);
    assert.deepEqual(
      [after.status, after.json["reply"], after.headers["retry-after"]],
      [200, "done", undefined],
    );
    assert.notEqual(after.headers["etag"], before.headers["etag"]);
  });

  test("`If-None-Match` is 304 until something has changed", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const location = (await post(gateway, "agent", [])).headers["location"]!;
    await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
    const { etag } = (await poll(gateway, location)).headers;
    assert.match(etag!, /^"[\w-]+"$/);
    for (const known of [etag!, `W/${etag!}`, `"other", ${etag!}`, "*"]) {
      const same = await poll(gateway, location, gateway.token, [`If-None-Match: ${known}`]);
      assert.deepEqual([same.status, same.text, same.headers["etag"]], [304, "", etag]);
      assert.equal(same.headers["retry-after"], "2");
    }
    gateway.put("go");
    await gateway.ended(location.split("/").at(-1));
    const changed = await poll(gateway, location, gateway.token, [`If-None-Match: ${etag!}`]);
    assert.deepEqual([changed.status, changed.json["status"]], [200, "succeeded"]);
  });

  test("`Prefer: wait` makes it a long poll", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const location = (await post(gateway, "agent", [])).headers["location"]!;
    const short = await poll(gateway, location, gateway.token, ["Prefer: wait=1"]);
    assert.deepEqual([short.status, short.json["status"]], [200, "running"]);
    assert.deepEqual([short.headers["preference-applied"], short.headers["retry-after"]], ["wait=1", "2"]);
    const long = poll(gateway, location, gateway.token, [
      "Prefer: wait=60",
      `If-None-Match: ${short.headers["etag"]}`,
    ]);
    gateway.put("go");
    const response = await long;
    assert.deepEqual([response.status, response.json["reply"]], [200, "done"]);
    assert.equal(response.headers["preference-applied"], "wait=60");
    const ended = await poll(gateway, location, gateway.token, ["Prefer: wait=60"]);
    assert.deepEqual([ended.status, ended.headers["preference-applied"]], [200, "wait=60"]);
  });

  test("HEAD is answered like GET, without a body", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable });
    const { headers } = await post(gateway, "agent", ["Prefer: wait=60"]);
    const got = await poll(gateway, headers["location"]!);
    const { socket, next } = gateway.raw(
      `HEAD ${headers["location"]} HTTP/1.1\r\nHost: x\r\n${bearer(gateway.token)}\r\nConnection: close\r\n\r\n`,
    );
    let text = "";
    socket.on("data", (bytes) => (text += String(bytes)));
    await assert.rejects(next(), "it has no body");
    assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
    assert.ok(text.includes(`ETag: ${got.headers["etag"]}`));
    assert.ok(text.includes(`Content-Length: ${got.headers["content-length"]}`));
    assert.ok(text.endsWith("\r\n\r\n"));
  });

  test("a reply of a million characters comes whole", async (t) => {
    const code = "process.stdout.write('ü€x'.repeat(333_334))";
    const agents = { list: [{ ...program("main", code), outputLimitBytes: 4_000_000 }] };
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const waited = await post(gateway, "agent", ["Prefer: wait=60"]);
    assert.ok(waited.json["reply"] === "ü€x".repeat(333_334));
    assert.ok((await resultOf(gateway, waited.json["runId"])).text === waited.text);
  });
});

describe("results: who may read", { concurrency: 4 }, () => {
  test("only the token that started the run and the gateway's own; the id alone opens nothing", async (t) => {
    const tokens = { ci: { token: ci, hooks: ["agent"] }, ops: { token: ops, hooks: ["agent"] } };
    const gateway = await startTestGateway(t, {
      hooks: { ...readable, tokens },
      gateway: { auth: { token: operator } },
    });
    const started = await post(gateway, "agent", ["Prefer: wait=60"], work, ci);
    const { runId } = started.json;
    for (const token of [ci, operator])
      assert.equal((await resultOf(gateway, runId, token)).text, started.text);
    const unknown = await resultOf(gateway, newId(), ops);
    assert.deepEqual(codeOf(unknown), [404, "unknown-run"]);
    for (const token of [ops, gateway.token]) {
      const refused = await resultOf(gateway, runId, token);
      assert.deepEqual([refused.status, refused.text], [404, unknown.text]);
    }
    const own = await post(gateway, "agent", ["Prefer: wait=60"]);
    assert.equal((await resultOf(gateway, own.json["runId"])).status, 200);
    assert.equal((await resultOf(gateway, own.json["runId"], ci)).status, 404);
  });

  test("a wrong token is refused and counted as at a hook; ids, names and methods come after it", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { ...readable, authFailures: { max: 2 } } });
    const { runId } = (await post(gateway, "agent", ["Prefer: wait=60"])).json;
    const target = `/hooks/runs/${String(runId)}`;
    assert.deepEqual(codeOf(await poll(gateway, `${target}?token=x`)), [400, "token-in-query"]);
    assert.deepEqual(codeOf(await gateway.send({ method: "GET", target })), [401, "unauthorized"]);
    const twice = [bearer(gateway.token), bearer(gateway.token)];
    assert.deepEqual(codeOf(await gateway.send({ method: "GET", target, headers: twice })), [
      400,
      "repeated-header",
    ]);
    assert.equal((await poll(gateway, target, "wrong")).status, 401);
    const limited = await poll(gateway, target, "wrong");
    assert.deepEqual(codeOf(limited), [429, "too-many-failures"]);
    assert.ok(Number(limited.headers["retry-after"]) >= 1);
    assert.equal((await poll(gateway, target)).status, 200);
    assert.equal((await poll(gateway, `${target}/`)).status, 200);
    for (const name of ["x", "1", String(runId).toUpperCase(), `${String(runId)}x`])
      assert.deepEqual(codeOf(await resultOf(gateway, name)), [404, "unknown-run"], name);
  });

  test("`status` shows all but the text", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { results: "status" } });
    const response = await post(gateway, "agent", ["Prefer: wait=60"]);
    const { runId } = response.json;
    assertResult(response, {
      ok: true,
      runId,
      status: "succeeded",
      attempts: 1,
      usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    });
    assert.equal((await resultOf(gateway, runId)).text, response.text);
    assert.doesNotMatch(response.text, /build it/);
  });

  test("the mapping's word counts before the token's, and the token's before the general one", async (t) => {
    const tokens = {
      ci: { token: ci, hooks: ["agent", "open", "shut", "plain"], results: "status" },
      ops: { token: ops, hooks: ["agent"], results: "none" },
    };
    const mappings = [
      mapping("open", { results: "reply" }),
      mapping("shut", { results: "none" }),
      mapping("plain"),
    ];
    const gateway = await startTestGateway(t, { hooks: { ...readable, tokens, mappings } });
    const accessOf = async (name: string, token = gateway.token) => {
      const response = await post(gateway, name, ["Prefer: wait=60"], work, token);
      if (response.status === 202) return "none";
      return "reply" in response.json ? "reply" : "status";
    };
    assert.equal(await accessOf("agent"), "reply");
    assert.equal(await accessOf("agent", ci), "status");
    assert.equal(await accessOf("agent", ops), "none");
    assert.equal(await accessOf("open", ci), "reply");
    assert.equal(await accessOf("shut", ci), "none");
    assert.equal(await accessOf("shut"), "none");
    assert.equal(await accessOf("plain", ci), "status");
    assert.equal(await accessOf("plain"), "reply");
  });

  test("a run from before nothing was to be read stays shut, except for the gateway token", async (t) => {
    const gateway = await startTestGateway(t, { gateway: { auth: { token: operator } } });
    const { runId } = (await post(gateway, "agent", [])).json;
    await gateway.ended(runId);
    assert.deepEqual(codeOf(await resultOf(gateway, runId)), [404, "unknown-run"]);
    const response = await resultOf(gateway, runId, operator);
    assert.deepEqual([response.status, response.json["status"]], [200, "succeeded"]);
    assert.match(String(response.json["reply"]), /build it/);
  });

  test("where nobody may read anything there is nothing to GET", async (t) => {
    const gateway = await startTestGateway(t, { gateway: { auth: {} } });
    const response = await resultOf(gateway, newId());
    assert.deepEqual([...codeOf(response), response.headers["allow"]], [405, "method-not-allowed", "POST"]);
  });

  test("the path is reserved for GET only: a mapping of that name takes its POST", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { ...readable, mappings: [mapping("runs/mine")] } });
    assert.equal((await post(gateway, "runs/mine", [])).status, 202);
    assert.deepEqual(codeOf(await poll(gateway, "/hooks/runs/mine")), [404, "unknown-run"]);
    const other = await gateway.send({
      method: "DELETE",
      target: "/hooks/runs/mine",
      headers: [bearer(gateway.token)],
    });
    assert.deepEqual(
      [...codeOf(other), other.headers["allow"]],
      [405, "method-not-allowed", "GET, HEAD, POST"],
    );
    for (const name of ["agent", "runs", "runs/a/b", "other"])
      assert.equal((await poll(gateway, `/hooks/${name}`)).headers["allow"], "POST", name);
  });

  test("an id that is older than the retention is gone, whosever it was", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, store: { retention: "30d" } });
    const idOf = (daysAgo: number, version = "7"): string => {
      const time = Math.floor(Date.now() - daysAgo * 86_400_000)
        .toString(16)
        .padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-${version}000-8000-000000000000`;
    };
    assert.deepEqual(codeOf(await resultOf(gateway, idOf(31))), [410, "run-expired"]);
    assert.deepEqual(codeOf(await resultOf(gateway, idOf(29))), [404, "unknown-run"]);
    assert.deepEqual(codeOf(await resultOf(gateway, idOf(31, "4"))), [404, "unknown-run"]);
    assert.deepEqual(codeOf(await resultOf(gateway, `${idOf(31)}/events`)), [410, "run-expired"]);
  });
});
