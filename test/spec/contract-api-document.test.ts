// The admin API's description: it is valid, it is the checked-in one, and every answer is what it says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { validate } from "@readme/openapi-parser";
import { openApiFile, openApiText } from "../../src/api/openapi/generate.ts";
import { problemBody } from "../../src/api/frame/problem.ts";
import { anAcceptance, anEvent } from "../builders/acceptance.ts";
import { startApiGateway, type ApiGateway } from "../fixtures/api-gateway.ts";
import { compareAnswer, described } from "../support/api.ts";
import { startTestGateway } from "../support/gateway.ts";

type Fields = Record<string, unknown>;

test("schema/openapi.json is made from the routes: npm run generate", () => {
  assert.equal(readFileSync(openApiFile, "utf8"), openApiText());
});

test("the document is valid by another program's judgement", async () => {
  const result = await validate(JSON.parse(openApiText()) as Parameters<typeof validate>[0]);
  assert.ok(result.valid, JSON.stringify(result));
});

test("the type of an error points to its row in docs/errors.md", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| \d{3} \| (.*?)`([a-z-]+)` \|/gm)];
  assert.ok(rows.length > 40);
  for (const [, anchor, code] of rows) assert.equal(anchor, `<a id="${code}"></a>`);
  assert.equal(problemBody({ refused: "conflict" }).type, "/docs/errors.md#conflict");
});

/** Every operation once as it should be, and once as it should not. */
async function walk({ gateway, api }: ApiGateway): Promise<void> {
  const post = (body?: unknown) => ({ method: "POST", ...(body !== undefined && { body }) });
  const { json } = await gateway.post("agent", { message: "hello", wakeMode: "next-heartbeat" });
  const run = await gateway.ended(json["runId"]);
  const event = anEvent();
  await gateway.inspect.accept(anAcceptance({ events: [event] }));
  const [delivery] = await gateway.deliveries(run.id);
  const [request] = (await api.expect(200, "/requests")).json["items"] as Fields[];
  const id = String(request!["id"]);
  const session = `/sessions/main/${encodeURIComponent(run.sessionKey)}/turns`;
  for (const path of [
    "/status",
    "/runs",
    "/events",
    "/deliveries",
    "/requests",
    "/sessions",
    "/hooks",
    "/agents",
  ]) {
    await api.expect(200, path);
    await api.expect(400, `${path}?nothing=1`);
  }
  for (const path of ["/channels", "/audit", "/replays", "/config", "/session/target", "/openapi.json"]) {
    await api.expect(200, path);
    await api.expect(401, path, { token: "wrong" });
  }
  for (const [good, bad] of [
    [`/runs/${run.id}`, "/runs/x"],
    [`/runs/${run.id}/timeline`, "/runs/x/timeline"],
    [`/runs/${run.id}/events`, "/runs/x/events"],
    [`/events/${event.id}`, "/events/x"],
    [`/deliveries/${delivery!.id}`, "/deliveries/x"],
    [`/requests/${id}`, "/requests/x"],
    [`/requests/${id}/timeline`, "/requests/x/timeline"],
    [`/requests/${id}/body`, "/requests/x/body"],
    [session, "/sessions/main/x/turns"],
  ]) {
    await api.expect(200, good!);
    await api.expect(404, bad!);
  }
  await api.expect(409, `/runs/${run.id}/cancel`, post());
  const again = (await api.expect(200, `/runs/${run.id}/retry`, post())).json;
  await gateway.ended(again["id"]);
  await api.expect(404, "/runs/x/retry", post());
  await api.expect(200, "/hooks/agent/pause", post());
  const waiting = String(
    (await gateway.post("agent", { message: "waits", wakeMode: "next-heartbeat" })).json["runId"],
  );
  await gateway.waitFor(
    "a parked run",
    async () => (await gateway.inspect.findRun(waiting))?.status === "parked",
  );
  await api.expect(200, `/runs/${waiting}/cancel`, post());
  await api.expect(200, "/hooks/agent/resume", post());
  await api.expect(409, "/hooks/agent/resume", post());
  await api.expect(404, "/hooks/x/pause", post());
  await api.expect(200, "/runs/release", post());
  await api.expect(404, "/runs/release", post({ id: "x" }));
  await api.expect(200, "/runs/retry", post({ since: "1h" }));
  await api.expect(415, "/runs/retry", { ...post("since"), headers: { "content-type": "text/plain" } });
  await api.expect(200, `/events/${event.id}/cancel`, post());
  await api.expect(200, `/events/${event.id}/retry`, post());
  await api.expect(409, `/events/${event.id}/retry`, post());
  await api.expect(404, "/events/x/cancel", post());
  await api.expect(200, `/deliveries/${delivery!.id}/cancel`, post());
  await api.expect(200, `/deliveries/${delivery!.id}/retry`, post());
  await api.expect(404, "/deliveries/x/cancel", post());
  await api.expect(404, "/deliveries/x/retry", post());
  await api.expect(200, `/requests/${id}/replay?dryRun=true`, post());
  await api.expect(200, `/requests/${id}/replay`, post());
  await api.expect(404, "/requests/x/replay", post());
  const { batch } = (
    await api.expect(200, "/requests/replay", post({ since: "1h", again: true, perMinute: 60_000 }))
  ).json;
  await api.expect(200, `/replays/${String(batch)}`);
  await api.expect(404, "/replays/x");
  await api.expect(400, "/requests/replay", post({}));
  await api.expect(200, "/hooks/build/try", post({ payload: { state: "red" } }));
  await api.expect(400, "/hooks/build/try", post("{"));
  await api.expect(200, "/heartbeat", post());
  await api.expect(400, "/heartbeat", { ...post(), headers: { "Idempotency-Key": "a key with blanks" } });
  await api.expect(200, "/channels/slack/test", post());
  await api.expect(404, "/channels/x/test", post());
  await api.expect(200, "/session/target", { method: "PUT", body: { target: null } });
  await api.expect(400, "/session/target", { method: "PUT", body: {} });
  const config = await api.expect(200, "/config");
  const text = String(config.json["text"]);
  await api.expect(200, "/config/check", post({ text }));
  await api.expect(413, "/config/check", post({ text: "x".repeat(1_100_000) }));
  await api.expect(200, "/config", {
    method: "PUT",
    body: { text },
    headers: { "If-Match": config.headers.get("etag")! },
  });
  await api.expect(428, "/config", { method: "PUT", body: { text } });
}

test("every operation answers as it is described, when all is well and when it is not; no answer has a secret", async (t) => {
  const one = await startApiGateway(t);
  await walk(one);
  const seen = [...one.api.seen];
  const operations = [...new Set(described().map((each) => each.replace(/ \d+$/, "")))];
  // It has no end by itself: its own tests read it.
  const others = operations.filter((each) => each !== "GET /api/v1/changes");
  const without = (isThis: (status: number) => boolean) =>
    others.filter(
      (each) => !seen.some((one) => one.startsWith(`${each} `) && isThis(Number(one.slice(each.length + 1)))),
    );
  assert.deepEqual(
    without((status) => status < 300),
    [],
    "never called with success",
  );
  assert.deepEqual(
    without((status) => status >= 400),
    [],
    "never called with an error",
  );
});

test("the hooks answer as they are described, too", async (t) => {
  const mappings = [
    { id: "note", match: { path: "note" }, action: "wake", textTemplate: "{{ text }}" },
    {
      id: "many",
      match: { path: "many" },
      action: "agent",
      messageTemplate: "{{ list[0] }}",
      forEach: "list",
    },
  ];
  const gateway = await startTestGateway(t, { hooks: { results: "reply", mappings } });
  const seen: string[] = [];
  const send = async (target: string, body: unknown, headers: string[] = [], method = "POST") => {
    const auth = `Authorization: Bearer ${gateway.token}`;
    const answer = await gateway.send({
      method,
      target,
      headers: [auth, "Content-Type: application/json", ...headers],
      body: body === null ? "" : typeof body === "string" ? body : JSON.stringify(body),
    });
    const type = answer.headers["content-type"] ?? "";
    const compared = compareAnswer(method, target, { status: answer.status, type, text: answer.text });
    assert.ok(compared, target);
    seen.push(compared);
    return answer.json;
  };
  await send("/hooks/wake", { text: "x" });
  await send("/hooks/wake", { text: 5 });
  const { runId } = await send("/hooks/agent", { message: "x" });
  await gateway.ended(runId);
  await send("/hooks/agent", { message: "x" }, ["Prefer: wait=60"]);
  await send("/hooks/agent", { message: "x", sessionKey: "main" });
  await send("/hooks/note", { text: "x" });
  await send("/hooks/note", { text: "" });
  await send("/hooks/many", { list: ["a", "b"] });
  await send("/hooks/many", "{");
  await send("/hooks/unknown", {});
  await send(`/hooks/runs/${String(runId)}`, null, [], "GET");
  await send("/hooks/runs/nobody", null, [], "GET");
  assert.deepEqual(seen, [
    "POST /hooks/wake 200",
    "POST /hooks/wake 400",
    "POST /hooks/agent 202",
    "POST /hooks/agent 200",
    "POST /hooks/agent 400",
    "POST /hooks/{name} 200",
    "POST /hooks/{name} 400",
    "POST /hooks/{name} 202",
    "POST /hooks/{name} 400",
    "POST /hooks/{name} 404",
    "GET /hooks/runs/{id} 200",
    "GET /hooks/runs/{id} 404",
  ]);
});
