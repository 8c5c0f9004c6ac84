// What each response of a service means.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  failed,
  json,
  neverStopped,
  replied,
  type Respond,
  serveAgents,
  stream,
} from "../../../test/fixtures/agent-service.ts";
import { hearing } from "../../../test/fixtures/told.ts";
import { contractInput } from "../agent.contract.ts";

const { agentOf, run } = serveAgents();

test("takes the reply out of JSON, trimmed, with the tokens that were used", async () => {
  const usage = { inputTokens: 12, outputTokens: 3 };
  const report = { usage };
  assert.deepEqual(await run(json({ reply: " ünï 🙂\n", usage })), { ...replied("ünï 🙂"), report });
  assert.deepEqual(await run(json({ reply: "a", usage: { inputTokens: -1 } })), replied("a"));
  assert.deepEqual(await run(json({ reply: "a" }, 201)), replied("a"));
});

for (const [what, chunks, expected] of [
  ["deltas", ['data: {"delta":"Hel"}\n\n', 'data: {"delta":"lo."}\n\n', "data: [DONE]\n\n"], "Hello."],
  ["deltas up to the end of the stream", ['data: {"delta":"Hel"}\n\ndata: {"delta":"lo."}'], "Hello."],
  ["a reply over deltas", ['data: {"delta":"Hel"}\n\n', 'data: {"reply":"Bye."}\n\n'], "Bye."],
  ["plain text", ["data: Hel\n\n", "data: lo.\n\n", "data: [DONE]\n\n"], "Hello."],
  ["a plain reply", ["data: no\n\n", "event: reply\ndata: Hel\ndata: lo.\n\n"], "Hel\nlo."],
  ["named events and comments", [": ping\n\n", "event: ping\ndata: x\n\n", "event: delta\ndata: a\n\n"], "a"],
  ["nothing after the end", ["data: a\n\n", "data: [DONE]\n\n", "data: b\n\n"], "a"],
] as const)
  test(`takes the reply out of events: ${what}`, async () => {
    assert.deepEqual(await run(stream(...chunks)), replied(expected));
  });

test("the deltas and tools of a stream are told in order, whatever the events are called", async () => {
  const { onEvent, lines } = hearing();
  const tool = (value: object) => `event: tool\ndata: ${JSON.stringify({ tool: value })}\n\n`;
  const outcome = await run(
    stream(
      "data: The \n\n",
      tool({ name: "search", state: "started", input: { q: "x" } }),
      tool({ name: "read", state: "started", id: "7" }),
      tool({ name: "search", state: "ended", ok: true, output: ["y"] }),
      'data: {"tool":{"name":"read","id":"7","state":"ended"},"delta":"build "}\n\n',
      tool({ name: "search", state: "resting" }),
      'event: tool\ndata: {"delta":"no"}\n\n',
      "event: tool\ndata: plain\n\n",
      'event: delta\ndata: {"delta":"broke.","tool":7}\n\n',
      "data: [DONE]\n\n",
    ),
    { ...contractInput(), onEvent },
  );
  assert.deepEqual(outcome, replied("The build broke."));
  assert.deepEqual(lines, [
    "The ",
    'search: search({"q":"x"})',
    "7: read()",
    'search: true ["y"]',
    "7: null",
    "build ",
    "broke.",
  ]);
});

test("the tokens of a stream may come with any of its events", async () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const outcome = await run(stream(`data: ${JSON.stringify({ usage })}\n\n`, "data: a\n\n"));
  assert.deepEqual(outcome, { ...replied("a"), report: { usage } });
});

test("an error in a stream is a failure in its own words", async () => {
  const error = (data: string) => run(stream("data: a\n\n", `event: error\ndata: ${data}\n\n`));
  assert.deepEqual(await error('{"error":"no\\nroom"}'), failed("the service says: no room"));
  assert.deepEqual(await error("plain"), failed("the service says: plain"));
  assert.deepEqual(await error('{"secret":"x"}'), failed("the service says: no reason given"));
  assert.deepEqual(await run(stream('data: {"error":"x"}\n\n')), failed("the service says: x"));
});

for (const [what, respond, reason] of [
  [
    "202",
    json({ reply: "a" }, 202),
    "the service responded with 202 and no reply: the response itself must hold it",
  ],
  ["204", json({}, 204), "the service responded with 204 and no reply: the response itself must hold it"],
  ["a blank reply", json({ reply: " \n" }), "the service gave no reply"],
  ["an empty stream", stream(""), "the service gave no reply"],
  ["JSON without a reply", json({ secret: "x" }), 'the service\'s response has no "reply"'],
  ["JSON with an error", json({ error: "busy" }), "the service says: busy"],
  ["no object", json(["x"]), "the service's response is not a JSON object"],
  [
    "no JSON",
    (response) => void response.writeHead(200, { "content-type": "application/json" }).end("secret"),
    "the service's response is not a JSON object",
  ],
  [
    "another type",
    (response) => void response.writeHead(200, { "content-type": "text/html" }).end("secret"),
    "the service responded with text/html, not JSON or server-sent events",
  ],
  [
    "no type",
    (response) => void response.end("secret"),
    "the service responded with no content type, not JSON or server-sent events",
  ],
  [
    "a redirect",
    json({ reply: "a" }, 307, { location: "/elsewhere" }),
    "the service responded with 307: redirects are not followed, give the final address",
  ],
  ["a refusal", json({ reply: "a" }, 403), "the service responded with 403"],
  [
    "a refusal with a reason",
    json({ error: { message: "not\nyou" } }, 403),
    "the service responded with 403: not you",
  ],
] as [string, Respond, string][])
  test(`cannot pass: ${what}`, async () => {
    assert.deepEqual(await run(respond), failed(reason));
  });

test("a failure that may pass has the service's Retry-After", async () => {
  const now = Date.parse("Mon, 02 Nov 2026 10:00:00 GMT");
  const after = (status: number, retryAfter: string) =>
    agentOf(
      json({ error: "later" }, status, { date: new Date(now).toUTCString(), "retry-after": retryAfter }),
      null,
      () => now,
    ).run(contractInput(), neverStopped());
  const later = (status: number, retryAfterMs: number) => ({
    ...failed(`the service responded with ${status}: later`, true),
    retryAfterMs,
  });
  assert.deepEqual(await after(429, "120"), later(429, 120_000));
  assert.deepEqual(await after(503, "Mon, 02 Nov 2026 10:01:00 GMT"), later(503, 60_000));
  assert.deepEqual(await after(500, "Mon, 02 Nov 2026 09:00:00 GMT"), later(500, 0));
  for (const nonsense of ["soon", "-5", "99999999999999999999"])
    assert.deepEqual(
      await after(500, nonsense),
      failed("the service responded with 500: later", true),
      nonsense,
    );
  assert.deepEqual(await after(400, "120"), failed("the service responded with 400: later"));
});

test("the reason has at most 300 characters of the service's error", async () => {
  const outcome = await run(json({ error: "x".repeat(1000) }, 500));
  assert.ok(outcome.kind === "failed");
  assert.equal(outcome.reason, `the service responded with 500: ${"x".repeat(299)}…`);
});

test("more than a megabyte is a failure, and no more of it is read", { timeout: 20_000 }, async () => {
  const tooMuch = failed("the service responded with more than 1048576 bytes");
  const endless =
    (type: string, chunk: string): Respond =>
    (response) => {
      response.writeHead(200, { "content-type": type });
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    };
  assert.deepEqual(await run(endless("application/json", "x".repeat(10_000))), tooMuch);
  assert.deepEqual(await run(endless("text/event-stream", `data: ${"x".repeat(10_000)}\n\n`)), tooMuch);
  assert.deepEqual(await run(endless("text/event-stream", "x".repeat(10_000))), tooMuch);
  assert.deepEqual(await run(endless("text/html", "x")), {
    ...failed("the service responded with text/html, not JSON or server-sent events"),
  });
});

for (const [what, respond] of [
  [
    "in JSON",
    (response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        .write('{"reply":"a"}', () => response.destroy()),
  ],
  [
    "in a stream",
    (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write("data: a\n\n", () => response.socket?.resetAndDestroy()),
  ],
] as [string, Respond][])
  test(`a response that is cut off may pass: ${what}`, async () => {
    assert.deepEqual(await run(respond), failed("the service's response was cut off: ECONNRESET", true));
  });
