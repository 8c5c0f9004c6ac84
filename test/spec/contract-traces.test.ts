// One trace for each hook request, from the request to the delivery, as an OpenTelemetry SDK sees it. Its globals are
// the process's, so these tests have a file, and so a process, of their own.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { startPlatform } from "../fixtures/recording-platform.ts";
import { openTrace } from "../../src/telemetry/trace.ts";
import { createFakeImap, fakeAccount, fakeMail } from "../fakes/imap.ts";
import { forEachStore, gated, program, startTestGateway, waitFor } from "../support/gateway.ts";

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

const parentId = "b7ad6b7169203331";
const newTrace = () => crypto.randomUUID().replaceAll("-", "");
const traceparent = (traceId: string, flags = "01") => `00-${traceId}-${parentId}-${flags}`;
const spansOf = (traceId: string) =>
  exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
const withName = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

/** The trace's spans, oldest first, once one of them has this name. */
const complete = (traceId: string, last: string) =>
  waitFor(`the span ${last}`, async () => {
    const spans = spansOf(traceId).toSorted(
      (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1],
    );
    return spans.some(({ name }) => name === last) && spans;
  });
const only = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${found.length} spans ${name}`);
  return found[0]!;
};

const telegramAt = (url: string) => ({
  telegram: { token: "1:secret-of-the-bot", apiBase: url, to: "424242" },
});
const sendingOk = { json: { ok: true, result: { message_id: 1 } } };

forEachStore("one trace from request to delivery, and on to an http agent", async (t, store) => {
  const platform = await startPlatform(sendingOk);
  const service = await startPlatform({ json: { reply: "the-reply-text" } });
  const gateway = await startTestGateway(
    t,
    {
      agents: { list: [{ id: "main", kind: "http", url: service.url, default: true }] },
      channels: telegramAt(platform.url),
    },
    { store },
  );
  const traceId = newTrace();
  const { json } = await gateway.post(
    "agent",
    { message: "the-message-text", channel: "telegram", wakeMode: "next-heartbeat" },
    [`traceparent: ${traceparent(traceId)}`, "tracestate: vendor=kept", "X-Other: the-header-text"],
  );
  const spans = await complete(traceId, "deliver telegram");
  const [hook, run, agent, deliver] = ["hook agent", "run agent", "agent http", "deliver telegram"].map(
    (name) => only(spans, name),
  );
  assert.equal(spans.length, 4);
  assert.deepEqual(
    [hook, run, agent, deliver].map((span) => span?.kind),
    [SpanKind.SERVER, SpanKind.CONSUMER, SpanKind.CLIENT, SpanKind.PRODUCER],
  );
  assert.deepEqual(
    [parentOf(hook), parentOf(run), parentOf(agent), parentOf(deliver)],
    [parentId, hook?.spanContext().spanId, run?.spanContext().spanId, run?.spanContext().spanId],
  );
  assert.deepEqual(hook?.attributes, {
    "http.request.method": "POST",
    "http.response.status_code": 202,
    "rouse.hook": "agent",
    "rouse.code": "accepted",
    "rouse.runs": 1,
    "rouse.events": 0,
    "rouse.run.id": json["runId"],
    "rouse.agent": "main",
  });
  assert.equal(run?.attributes["rouse.outcome"], "succeeded");
  assert.equal(deliver?.attributes["rouse.outcome"], "sent");
  assert.ok(spans.every(({ status }) => status.code === SpanStatusCode.UNSET));

  const received = service.calls[0]?.headers;
  assert.equal(received?.["traceparent"], `00-${traceId}-${agent?.spanContext().spanId}-01`);
  assert.equal(received?.["tracestate"], "vendor=kept");

  const recorded = JSON.stringify(
    spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  );
  for (const secret of [
    "the-message-text",
    "the-reply-text",
    "the-header-text",
    "424242",
    "secret-of-the-bot",
    gateway.token,
  ])
    assert.ok(!recorded.includes(secret), secret);
});

forEachStore("the trace continues in another gateway on the same store", async (t, store) => {
  const platform = await startPlatform(sendingOk);
  const gateway = await startTestGateway(
    t,
    { agents: { list: [gated("main")] }, channels: telegramAt(platform.url) },
    { store },
  );
  const traceId = newTrace();
  await gateway.post("agent", { message: "m", channel: "telegram", wakeMode: "next-heartbeat" }, [
    `traceparent: ${traceparent(traceId)}`,
  ]);
  await waitFor("the first attempt", async () => gateway.read("turns").includes("starts"));
  await gateway.restart();
  gateway.put("go");
  const spans = await complete(traceId, "deliver telegram");
  const hook = only(spans, "hook agent");
  const runs = spans.filter(({ name }) => name === "run agent");
  assert.deepEqual(
    runs.map((span) => [span.attributes["rouse.outcome"], parentOf(span)]),
    [
      ["released", hook.spanContext().spanId],
      ["succeeded", hook.spanContext().spanId],
    ],
  );
  assert.equal(parentOf(only(spans, "deliver telegram")), runs[1]?.spanContext().spanId);
});

test("a request without a usable traceparent starts a new trace", async (t) => {
  const gateway = await startTestGateway(t, { agents: { list: [{ id: "main", kind: "echo" }] } });
  const zeros = `00-${"0".repeat(32)}-${parentId}-01`;
  for (const headers of [[], ["traceparent: nonsense"], [`traceparent: ${zeros}`]]) {
    exporter.reset();
    const { json } = await gateway.post(
      "agent",
      { message: "m", deliver: false, wakeMode: "next-heartbeat" },
      headers,
    );
    const run = await waitFor("the run's span", async () =>
      withName("run agent").find(({ attributes }) => attributes["rouse.run.id"] === json["runId"]),
    );
    const hook = only(spansOf(run.spanContext().traceId), "hook agent");
    assert.equal(parentOf(hook), undefined);
    assert.equal(parentOf(run), hook.spanContext().spanId);
  }
});

test("requests without the token get no span, and spans of refusals have the code", async (t) => {
  const gateway = await startTestGateway(t);
  const traceId = newTrace();
  const header = `traceparent: ${traceparent(traceId)}`;
  await gateway.send({ target: "/hooks/agent", headers: ["Authorization: Bearer wrong", header] });
  const { status } = await gateway.post("agent", { message: 7 }, [header]);
  assert.equal(status, 400);
  const [hook, ...more] = await complete(traceId, "hook agent");
  assert.equal(more.length, 0);
  assert.equal(hook?.attributes["rouse.code"], "invalid-payload");
  assert.equal(hook?.status.code, SpanStatusCode.UNSET, "what the caller did wrong is no fault here");
});

test("spans of failures end in error, and an unsampled trace stays unsampled", async (t) => {
  const gateway = await startTestGateway(t, { agents: { list: [program("main", "process.exit(3)")] } });
  const traceId = newTrace();
  const ask = (id: string, flags: string) =>
    gateway.post("agent", { message: "m", deliver: false, wakeMode: "next-heartbeat" }, [
      `traceparent: ${traceparent(id, flags)}`,
    ]);
  const quietId = newTrace();
  const quiet = await ask(quietId, "00");
  assert.equal((await gateway.ended(quiet.json["runId"])).request.trace?.slice(0, 36), `00-${quietId}-`);
  await ask(traceId, "01");
  const run = only(await complete(traceId, "run agent"), "run agent");
  assert.equal(run.status.code, SpanStatusCode.ERROR);
  assert.equal(run.attributes["error.type"], "failed");
  const agent = only(await complete(traceId, "agent command"), "agent command");
  assert.equal(agent.status.code, SpanStatusCode.ERROR);
  assert.deepEqual(spansOf(quietId), []);
});

test("fetched mail starts a trace, which its run continues", async (t) => {
  const imap = await createFakeImap();
  t.after(() => imap.stop());
  const gateway = await startTestGateway(t, {
    agents: { list: [{ id: "main", kind: "echo" }] },
    hooks: { presets: ["gmail"], mail: [fakeAccount(imap)] },
  });
  await waitFor("the baseline", async () =>
    (await gateway.inspect.listMailAccounts()).some(({ cursor }) => cursor),
  );
  exporter.reset();
  imap.add({ raw: fakeMail("the-subject-text", "the-body-text") });
  const run = await waitFor("the run's span", async () => withName("run gmail")[0]);
  const spans = spansOf(run.spanContext().traceId);
  const hook = only(spans, "hook gmail");
  assert.deepEqual([hook.kind, parentOf(hook)], [SpanKind.CONSUMER, undefined]);
  assert.equal(parentOf(run), hook.spanContext().spanId);
  assert.deepEqual(hook.attributes, {
    "rouse.hook": "gmail",
    "rouse.code": "accepted",
    "rouse.runs": 1,
    "rouse.events": 0,
    "rouse.run.id": run.attributes["rouse.run.id"],
    "rouse.agent": "main",
  });
  const recorded = JSON.stringify(spans.map(({ name, attributes }) => ({ name, attributes })));
  assert.doesNotMatch(recorded, /the-subject-text|the-body-text|ada@example/);
});

test("a heartbeat has a trace of its own", async (t) => {
  const gateway = await startTestGateway(t);
  const traceId = newTrace();
  exporter.reset();
  await gateway.post("wake", { text: "t" }, [`traceparent: ${traceparent(traceId)}`]);
  const [beat] = await waitFor("the heartbeat", async () => {
    const found = withName("run heartbeat");
    return found.length > 0 && found;
  });
  assert.equal(parentOf(beat), undefined);
  assert.notEqual(beat?.spanContext().traceId, traceId);
});

test("when another instrumentation records requests, our span is its child", async () => {
  exporter.reset();
  const ours = await openTrace();
  trace.getTracer("another").startActiveSpan("theirs", (theirs) => {
    ours.start("hook agent", { kind: "server", parent: traceparent(newTrace()) }).end();
    ours.start("run agent", { kind: "consumer", parent: null }).end();
    theirs.end();
    const [hook, run] = [withName("hook agent")[0], withName("run agent")[0]];
    assert.deepEqual([parentOf(hook), hook?.kind], [theirs.spanContext().spanId, SpanKind.INTERNAL]);
    assert.equal(parentOf(run), undefined, "stored work never belongs to what happens to be active");
  });
});

test("the API is loaded when an SDK is registered", () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.ok(loaded.some((file) => file.includes("@opentelemetry/api")));
});
