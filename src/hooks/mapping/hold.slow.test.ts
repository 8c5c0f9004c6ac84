// No request to a mapped hook holds the event loop for long, whatever its payload and the operator's templates.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Decision } from "../../core/request.ts";
import { channelNames } from "../../core/target.ts";
import { toRunRow } from "../../store/programs/rows.ts";
import { mappingsOf } from "../../../test/fixtures/mapping-config.ts";
import { testConfig } from "../../../test/fixtures/hooks-server.ts";
import { longestHoldMs } from "../../../test/support/longest-hold.ts";
import { decide } from "../decide.ts";
import { noSenders } from "../senders/prepare.ts";
import { hookSettings } from "../settings.ts";
import { prepareMappings } from "./prepare.ts";

const mostMs = 100;
/** One that is first compiled, or during which garbage is collected, does not count. */
const attempts = 3;

const loop = "{% for a in list %}{% for b in list %}{{ a.x }}{% endfor %}{% endfor %}";
const templates: Record<string, { messageTemplate: string; [key: string]: unknown }> = {
  whole: { messageTemplate: "All: {{ payload }}", forEach: "messages" },
  once: { messageTemplate: "All: {{ payload }}" },
  indented: { messageTemplate: "{{ payload | json: 10 }}" },
  turns: {
    messageTemplate: "{% for i in (1..20000) %}{% endfor %}{{ messages[0].id }}",
    forEach: "messages",
  },
  nested: { messageTemplate: loop.replaceAll("list", "messages") },
  sorted: {
    messageTemplate: "{{ payload.messages | sort: 'id' | map: 'id' | join: '-' }}",
    forEach: "messages",
  },
  split: { messageTemplate: "{% assign p = payload | json | split: '' | reverse | join: '' %}{{ p }}" },
  stripped: { messageTemplate: "{{ messages[0].id | strip_html | strip | squish }}" },
  words: { messageTemplate: "x".repeat(100_000), forEach: "messages" },
  named: {
    messageTemplate: "m",
    name: "{{ payload }}",
    sessionKey: "k{{ payload | size }}",
    forEach: "messages",
  },
  long: { messageTemplate: `${"x".repeat(3_500)} {{ messages[0].body }}`, forEach: "messages" },
  values: { messageTemplate: "{% for each in list %}{{ each | append: 'x' }} {% endfor %}m" },
  fields: { messageTemplate: "{{ messages[0].id }} {{ messages[0].body }}", forEach: "messages" },
};

const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, 1]));
const messages = (count: number, body = "") =>
  Array.from({ length: count }, (_, at) => ({ id: `m${at}`, body }));
const payloads: Record<string, unknown> = {
  "30,000 other keys": { ...keys, messages: messages(300) },
  "1,000 elements": { messages: messages(1000, "b".repeat(200)) },
  "small elements": { messages: messages(1000, "b") },
  "100,000 numbers": { messages: messages(5), list: Array.from({ length: 100_000 }, () => 1) },
  "numbers with their own digits": `{"messages":[{"id":1.0}],"list":[${"1.0,".repeat(60_000)}1]}`,
  "distinct numbers": `{"messages":[{"id":1.0}],"list":[${Array.from({ length: 25_000 }, (_, at) => `${at}.0`).join(",")}]}`,
  "one text of tags": { messages: [{ id: "<script".repeat(36_000), body: " ".repeat(1000) }] },
  "one long text": { messages: messages(1, "y".repeat(250_000)) },
};

/** As the store would get it. */
const written = (decision: Decision): number =>
  "runs" in decision ? decision.runs.reduce((sum, run) => sum + String(toRunRow(run)).length, 0) : 0;

describe("one request never holds the event loop for long", async () => {
  const mappings = mappingsOf(
    Object.entries(templates).map(([id, more]) => ({ id, match: { path: id }, ...more })),
    { presets: ["gmail"] },
  );
  const prepared = await prepareMappings({ ...testConfig().hooks, mappings });
  assert.ok(prepared.ok);
  after(() => prepared.mappings.close());
  const settings = hookSettings(testConfig(), {
    mappings: prepared.mappings,
    senders: noSenders,
    channels: channelNames([]),
  });
  for (const [what, payload] of Object.entries(payloads))
    for (const name of ["gmail", ...Object.keys(templates)])
      test(`${name}: ${what}`, async () => {
        const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
        assert.ok(body.length < 524_288);
        const head = { method: "POST", target: "", rawHeaders: [], address: null };
        const request = { ...head, body, now: 0, idempotency: null };
        let held = Infinity;
        for (let attempt = 0; attempt < attempts && held >= mostMs; attempt++)
          held = await longestHoldMs(async () => {
            const { decision } = await decide({ name, read: null }, request, settings);
            await new Promise((resolve) => setImmediate(resolve));
            written(decision);
          });
        assert.ok(held < mostMs, `${held} ms`);
      });
});
