// Without an OpenTelemetry SDK no span is recorded, and a caller's trace is still passed on.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { startPlatform } from "../fixtures/recording-platform.ts";
import { forEachStore, startTestGateway } from "../support/gateway.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

forEachStore("a caller's trace reaches an http agent and the delivery", async (t, store) => {
  const service = await startPlatform({ json: { reply: "done" } });
  const gateway = await startTestGateway(
    t,
    { agents: { list: [{ id: "main", kind: "http", url: service.url, default: true }] } },
    { store },
  );
  const run = async (headers: readonly string[]) => {
    const { json } = await gateway.post("agent", { message: "m", wakeMode: "next-heartbeat" }, headers);
    const ended = await gateway.ended(json["runId"]);
    const received = service.calls.at(-1)?.headers;
    const [delivery] = await gateway.deliveries(ended.id);
    return [received?.["traceparent"], received?.["tracestate"], ended.request.trace, delivery?.trace];
  };
  const carried = `${traceparent} vendor=a, other=b`;
  assert.deepEqual(await run([`traceparent: ${traceparent}`, "tracestate: vendor=a, other=b"]), [
    traceparent,
    "vendor=a, other=b",
    carried,
    carried,
  ]);
  const none = [undefined, undefined, null, null];
  assert.deepEqual(await run([]), none);
  assert.deepEqual(await run(["traceparent: nonsense", "tracestate: vendor=a"]), none);
  assert.deepEqual(await run([`traceparent: ${traceparent}`, `traceparent: ${traceparent}`]), none, "twice");
});

test("nothing of OpenTelemetry is loaded", () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.deepEqual(
    loaded.filter((file) => file.includes("@opentelemetry")),
    [],
  );
});
