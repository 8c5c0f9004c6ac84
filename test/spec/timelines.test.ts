// The examples' timelines, as `rouse requests show` prints them, from a real gateway. Times, ids and the node are masked.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { dispatch } from "../../src/cli/dispatch.ts";
import { createTestContext } from "../fixtures/command-line.ts";
import { env, type Example, headersOf, startExample, textOf } from "../support/example.ts";
import { waitFor } from "../support/gateway.ts";

/** What stands in a line after its times; without the lines of a text. */
function masked(text: string): string[] {
  const ids = new Map<string, string>();
  const nameOf = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `ID-${ids.size + 1}`);
    return ids.get(id) ?? id;
  };
  return text
    .split("\n")
    .slice(4, -1)
    .map((line) => /^[\d:. +msh]{24}([✓✗▸○–·].*)$/.exec(line)?.[1] ?? line.trim())
    .filter((line) => !/^\||more lines: rouse runs show$/.test(line))
    .map((line) =>
      line
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, nameOf)
        .replaceAll(/\b\d+(?:\.\d)? (?:ms|s)\b/g, "TIME")
        .replace(/ on \S+, TIME$/, " on NODE, TIME")
        .replace(/^(?:– {2}No wait +a slot was free|· {2}Waited +TIME for a slot)$/, "·  WAIT"),
    );
}

async function show(example: Example, ...argv: string[]): Promise<string> {
  const { context, written } = createTestContext(["requests", "show", ...argv, "--config", example.config], {
    env,
  });
  assert.equal(await dispatch(context), 0, written.stderr);
  return written.stdout;
}

/** When everything is over: runs, deliveries, and the summaries that a heartbeat shows. */
const settled = (example: Example, id: string): Promise<string[]> =>
  waitFor(`the end of ${id}`, async () => {
    const shown = await show(example, id);
    return !/^.{24}[▸○]/m.test(shown) && masked(shown);
  });

async function newest({ store }: Example, hook: string): Promise<string> {
  const [request] = await store.listRequests({ limit: 1 });
  assert.equal(request?.hook, hook);
  return request.id;
}

async function timelineAfter(
  t: TestContext,
  name: string,
  payload: string,
  headers?: Record<string, string>,
) {
  const example = await startExample(t, name);
  await example.post(payload, headers);
  return settled(example, await newest(example, name));
}

const wentWell = (agent: string, characters: string): string[] => [
  `✓  Attempt 1   ${agent} on NODE, TIME`,
  `✓  Reply       ${characters} characters`,
  "–  No delivery it was not asked for",
  "✓  Summary     shown to the main session",
];

describe("timelines of the examples", { concurrency: 2 }, () => {
  test("github, an opened issue", async (t) => {
    assert.deepEqual(await timelineAfter(t, "github", textOf("github", "payload.json")), [
      "✓  Received    POST /hooks/github, 127.0.0.1, 8.4 KB",
      "✓  Decided     github-issues took it, 3 of 3 filters true, policy allows it",
      'github-issues  took it  ✓ header x-github-event met "issues", wanted "issues"',
      '✓ payload.action met "opened", wanted "opened" or "reopened"',
      '✓ payload.issue.user.type met "User", wanted not "Bot"',
      "policy         allowed",
      "✓  Stored      run ID-1",
      "·  WAIT",
      "✓  Prompt      8 texts from outside, 2,113 characters",
      ...wentWell("triage", "2,113"),
    ]);
  });

  test("github, a ping that no mapping takes", async (t) => {
    const ping = { ...headersOf("github"), "X-GitHub-Event": "ping" };
    assert.deepEqual(await timelineAfter(t, "github", '{"zen":"Keep it simple.","hook_id":1}', ping), [
      "✓  Received    POST /hooks/github, 127.0.0.1, 37 bytes",
      "✓  Decided     skipped, no mapping took it",
      'github-issues  no  ✗ header x-github-event met "ping", wanted "issues"',
      '✗ payload.action met missing, wanted "opened" or "reopened"',
      '✓ payload.issue.user.type met missing, wanted not "Bot"',
      "✓  Answered    204",
      "–  No run      nothing was stored but this request",
      "–  No prompt   no agent saw it",
      "–  No reply    nobody was told",
    ]);
  });

  test("grafana, a run for each of two alerts", async (t) => {
    assert.deepEqual(await timelineAfter(t, "grafana", textOf("grafana", "payload.json")), [
      "✓  Received    POST /hooks/grafana, 127.0.0.1, 3.8 KB",
      "✓  Decided     grafana took it, policy allows it",
      "grafana  took it",
      "policy   allowed",
      "✓  Stored      2 runs",
      "",
      'run ID-1, succeeded, "Alert DiskAlmostFull", agent watch, conversation hook:grafana:b3c1f0a27d5e9468',
      "·  WAIT",
      "✓  Prompt      6 texts from outside, 1,722 characters",
      ...wentWell("watch", "1,722"),
      "",
      'run ID-2, succeeded, "Alert DiskAlmostFull", agent watch, conversation hook:grafana:5d9e8127aa04c6f3',
      "·  WAIT",
      "✓  Prompt      8 texts from outside, 1,970 characters",
      ...wentWell("watch", "1,970"),
    ]);
  });

  test("stripe, a paid invoice that is a note for the next heartbeat", async (t) => {
    const example = await startExample(t, "stripe");
    await example.post(textOf("stripe", "payload.json"));
    assert.deepEqual(masked(await show(example, await newest(example, "stripe"))), [
      "✓  Received    POST /hooks/stripe, 127.0.0.1, 5.2 KB",
      "✓  Decided     stripe-paid took it, 1 of 1 filter true, policy allows it",
      'stripe-paid  took it  ✓ payload.type met "invoice.paid", wanted "invoice.paid"',
      "policy       allowed",
      "✓  Stored      note ID-1",
      "○  Note        waits for the main session's next turn",
    ]);
  });

  test("stripe, a failed payment", async (t) => {
    assert.deepEqual(await timelineAfter(t, "stripe", textOf("stripe", "payment-failed.json")), [
      "✓  Received    POST /hooks/stripe, 127.0.0.1, 5.2 KB",
      "✓  Decided     stripe-failed took it, 1 of 1 filter true, policy allows it",
      'stripe-paid    no       ✗ payload.type met "invoice.payment_failed", wanted "invoice.paid"',
      'stripe-failed  took it  ✓ payload.type met "invoice.payment_failed", wanted "invoice.payment_failed"',
      "policy         allowed",
      "✓  Stored      run ID-1",
      "·  WAIT",
      "✓  Prompt      5 texts from outside, 1,494 characters",
      ...wentWell("office", "1,494"),
    ]);
  });

  test("form, a message, and what it brought", async (t) => {
    const example = await startExample(t, "form");
    const payload = textOf("form", "payload.json");
    await example.post(payload);
    const id = await newest(example, "form");
    assert.deepEqual(await settled(example, id), [
      "✓  Received    POST /hooks/form, 127.0.0.1, 458 bytes",
      "✓  Decided     contact took it, 2 of 2 filters true, policy allows it",
      'contact  took it  ✓ payload.form met "contact", wanted "contact"',
      '✓ payload.website met "", wanted ""',
      "policy   allowed",
      "✓  Stored      run ID-1",
      "·  WAIT",
      "✓  Prompt      5 texts from outside, 1,531 characters",
      ...wentWell("desk", "1,531"),
    ]);
    assert.equal(Buffer.from(await show(example, id, "--body"), "latin1").toString("utf8"), payload);
  });
});
