// Contract, section 6: transforms, the operator's own code between a request and its action.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import {
  codeOf,
  lastRecord,
  mapping,
  messageOf,
  moduleOf,
  promptOf,
  readPrompt,
  runOf,
} from "../support/mapped.ts";

const template = "The operator says: {{ text }}";

/** A mapping with a transform of the same name; `body` is that of its function. */
type Case = readonly [name: string, body: string, more?: object];

const cases: readonly Case[] = [
  ["keep", "return undefined;"],
  ["nothing", ""],
  ["skip", "return null;"],
  ["later", "return (async () => ({ name: 'later' }))();"],
  ["seen", "return { message: JSON.stringify([input, action]) };"],
  [
    "frozen",
    "return { name: [input, input.payload, input.payload.deep[0], action].every(Object.isFrozen) + '' };",
  ],
  ["change", "input.payload.deep.push(1);"],
  [
    "set",
    `return { message: " own text ", wakeMode: "now", name: "N", agentId: "other", sessionKey: "hook:k",
      deliver: true, channel: "telegram", to: "1", model: "fast", thinking: "low", timeoutSeconds: 9 };`,
  ],
  ["to-wake", "return { action: 'wake', text: 'noted' };"],
  ["payload", "return { payload: { text: input.payload.text.toUpperCase() } };"],
  ["both", "return { payload: { text: 'new' }, name: 'named' };"],
  ["unsafe", "return { allowUnsafeExternalContent: true, unsafe: true, message: 'do as I say' };"],
  ["rescue", "return { sessionKey: 'hook:rescued' };", { sessionKey: "{{ none }}" }],
  ["returned", "return input.payload.result;"],
  ["throws", "throw new TypeError(`cannot read ${input.payload.text}`);"],
  ["throws-odd", "throw 'just text';"],
  ["endless", "for (;;);"],
  ["exits", "process.exit(0);"],
  ["no-json", "return { payload: { big: 1n } };"],
  [
    "each",
    "const { n } = input.payload.items[0]; return n === 2 ? null : n === 4 ? { action: 'wake', text: 'w' } : undefined;",
    { forEach: "items", messageTemplate: "{{ items[0].n }}", textTemplate: "x" },
  ],
];

const usual = Object.fromEntries(cases.map(([name, body]) => [`transforms/${name}.mjs`, moduleOf(body)]));

const withTransform = (path: string, more: object = {}) =>
  mapping(path, { messageTemplate: template, transform: { module: `${path}.mjs` }, ...more });

async function failureOf(gateway: TestGateway, name: string, payload: unknown): Promise<string> {
  const before = (await gateway.runs()).length;
  const response = await gateway.post(name, payload);
  assert.deepEqual(codeOf(response), [500, "mapping-failed"], name);
  assert.deepEqual(Object.keys(response.json).toSorted(), ["code", "error", "ok"]);
  const { hook, outcome, reason } = await lastRecord(gateway);
  assert.deepEqual([hook, outcome], [name, "failed"]);
  assert.ok(!response.text.includes(reason));
  assert.equal((await gateway.runs()).length, before, "nothing is stored");
  return reason;
}

const settings = {
  agents: { list: [{ id: "main" }, { id: "other" }], defaults: { models: { "p/m": { alias: "fast" } } } },
  hooks: {
    allowedAgentIds: ["main", "other"],
    allowedSessionKeyPrefixes: ["hook:"],
    transformTimeoutSeconds: 2,
    mappings: [
      ...cases.map(([name, , more]) => withTransform(name, more)),
      withTransform("typed", { transform: { module: "sub/typed.ts" } }),
      withTransform("named", { transform: { module: "several.mjs", export: "second" } }),
      withTransform("fallback", { transform: { module: "several.mjs" } }),
      withTransform("alone", { messageTemplate: undefined, transform: { module: "set.mjs" } }),
    ],
  },
};

const files = {
  ...usual,
  "transforms/sub/typed.ts": `import type { Transform } from "rouse/transform";
    import { word } from "./word.ts";
    const transform: Transform = ({ payload }) => ({ name: word + payload.text });
    export default transform;`,
  "transforms/sub/word.ts": `export const word: string = "typed ";`,
  "transforms/several.mjs": `export const transform = () => ({ name: "first" });
    export const second = () => ({ name: "second" });`,
};

async function startWithTransforms(t: TestContext) {
  const gateway = await startTestGateway(t, settings, { files });
  const post = (name: string, payload: unknown = { text: "t", deep: [{}] }, headers: string[] = []) =>
    gateway.post(name, payload, headers);
  return { gateway, post };
}

test("transforms: input and result", async (t) => {
  const { gateway, post } = await startWithTransforms(t);

  await t.test("nothing returned keeps the action as the templates made it", async () => {
    for (const name of ["keep", "nothing"])
      assert.equal(await messageOf(gateway, await post(name)), "The operator says: t");
  });

  await t.test("null is 204 with a record, and no other mapping is tried", async () => {
    const response = await post("skip");
    assert.deepEqual([response.status, response.text], [204, ""]);
    const { hook, outcome, reason } = await lastRecord(gateway);
    assert.deepEqual([hook, outcome, reason], ["skip", "skipped", "skip: the transform returned null"]);
  });

  await t.test("it gets data only: payload, headers, query, path, name, and the action", async () => {
    const headers = ["X-Custom: c", "Cookie: secret-cookie"];
    const seen = await messageOf(gateway, await post("seen?q=1", { text: "t" }, headers));
    const [input, action] = JSON.parse(seen) as [Record<string, Record<string, string>>, object];
    assert.deepEqual(Object.keys(input).toSorted(), ["headers", "name", "path", "payload", "query"]);
    assert.deepEqual([input["payload"], input["query"]], [{ text: "t" }, { q: "1" }]);
    assert.deepEqual([input["name"], input["path"]], ["seen", "seen"]);
    assert.equal(input["headers"]?.["x-custom"], "c");
    assert.ok(!seen.includes("secret") && !seen.includes(gateway.token));
    assert.deepEqual(action, {
      action: "agent",
      message: "The operator says: t",
      wakeMode: "next-heartbeat",
      deliver: false,
    });
  });

  await t.test("the input and the action are frozen", async () => {
    assert.equal((await runOf(gateway, await post("frozen"))).request.name, "true");
    assert.match(await failureOf(gateway, "change", { deep: [] }), /TypeError/);
  });

  await t.test("the keys it returns replace those of the action", async () => {
    const run = await runOf(gateway, await post("set"));
    assert.deepEqual([run.agentId, run.sessionKey], ["other", "hook:k"]);
    const { message, unsafe, ...request } = run.request;
    assert.deepEqual(message, [{ label: "message", source: "transform", text: "own text" }]);
    assert.equal(unsafe, false);
    assert.partialDeepStrictEqual(request, {
      wakeMode: "now",
      name: "N",
      deliver: true,
      channel: "telegram",
      to: "1",
      model: "p/m",
      thinking: "low",
      timeoutSeconds: 9,
    });
  });

  await t.test(
    "it may supply the message without a template, and a key whose template rendered blank",
    async () => {
      assert.equal(await messageOf(gateway, await post("alone")), "own text");
      assert.equal((await runOf(gateway, await post("rescue"))).sessionKey, "hook:rescued");
    },
  );

  await t.test("it may be async, and may turn a run into a wake", async () => {
    assert.equal((await runOf(gateway, await post("later"))).request.name, "later");
    const response = await post("to-wake");
    assert.deepEqual([response.status, response.json["mode"]], [200, "next-heartbeat"]);
    const event = await gateway.inspect.findEvent(String(response.json["eventId"]));
    assert.deepEqual(event?.text, [{ label: "text", source: "transform", text: "noted" }]);
  });
});

test("transforms: outside text, modules and forEach", async (t) => {
  const { gateway, post } = await startWithTransforms(t);

  await t.test(
    "a payload it returns renders the templates again, and the operator's words stay outside of the blocks",
    async () => {
      const prompt = readPrompt(await promptOf(gateway, await post("payload", { text: "quiet" })));
      assert.match(prompt.outside, /^The operator says: \[data 1\]/);
      assert.deepEqual(prompt.blocks, [{ id: 1, label: "text", text: "QUIET" }]);
      const both = await runOf(gateway, await post("both"));
      assert.equal(both.request.name, "named");
    },
  );

  await t.test("text it returns is outside text, and it cannot lift the boundary", async () => {
    const response = await post("unsafe");
    assert.equal((await runOf(gateway, response)).request.unsafe, false);
    const prompt = readPrompt(await promptOf(gateway, response));
    assert.deepEqual(prompt.blocks, [{ id: 1, label: "message", text: "do as I say" }]);
    assert.doesNotMatch(prompt.outside, /do as I say/);
  });

  await t.test(
    "TypeScript runs without a build; an export can be named; without a default export `transform` is taken",
    async () => {
      assert.equal((await runOf(gateway, await post("typed"))).request.name, "typed t");
      assert.equal((await runOf(gateway, await post("named"))).request.name, "second");
      assert.equal((await runOf(gateway, await post("fallback"))).request.name, "first");
    },
  );

  await t.test("with forEach it sees one element at a time, and may skip or change each", async () => {
    const response = await post("each", { items: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] });
    assert.equal(response.status, 202);
    assert.equal((response.json["runIds"] as unknown[]).length, 2);
    assert.equal((response.json["eventIds"] as unknown[]).length, 1);
    assert.equal((await post("each", { items: [{ n: 2 }] })).status, 204);
    assert.equal((await post("each", { items: [{ n: 4 }] })).status, 200);
  });
});

test("transforms: wrong results and errors", async (t) => {
  const { gateway, post } = await startWithTransforms(t);

  await t.test("a value of the wrong type is 500, and the record names the key", async () => {
    for (const [result, expected] of [
      [{ timeoutSeconds: "10" }, /returned: the transform returned timeoutSeconds, which must be a number/],
      [{ message: 5 }, /message, which must be a string/],
      [{ deliver: "no" }, /deliver, which must be true or false/],
      [{ action: "fly" }, /action, which must be one of/],
      [{ wakeMode: "soon" }, /wakeMode, which must be one of/],
      [{ name: null }, /name, which must be a string/],
      ["text", /it returned a string/],
      [[1], /it returned an array/],
      [false, /it returned a boolean/],
    ] as const)
      assert.match(await failureOf(gateway, "returned", { result }), expected);
    assert.match(await failureOf(gateway, "no-json", {}), /bigint/);
  });

  await t.test("a value that the policy forbids is 400, as for a request", async () => {
    for (const [result, code] of [
      [{ sessionKey: "other:k" }, "session-key-prefix"],
      [{ sessionKey: "main" }, "session-key-not-allowed"],
      [{ agentId: "third" }, "agent-not-allowed"],
      [{ model: "p/other" }, "model-not-allowed"],
      [{ channel: "pigeon" }, "channel-unknown"],
      [{ sessionKey: "two words" }, "invalid-payload"],
    ] as const)
      assert.deepEqual(codeOf(await post("returned", { text: "t", result })), [400, code]);
  });

  await t.test("an error is 500; its cause is in the record, not in the response", async () => {
    assert.match(
      await failureOf(gateway, "throws", { text: "x" }),
      /throws: it threw TypeError: cannot read x/,
    );
    assert.match(await failureOf(gateway, "throws-odd", {}), /just text/);
  });

  await t.test("an endless loop is ended by the time limit, and the next request is served", async () => {
    const endless = post("endless");
    assert.equal((await post("keep")).status, 202, "by another process, meanwhile");
    assert.deepEqual(codeOf(await endless), [500, "mapping-failed"]);
    assert.match((await lastRecord(gateway)).reason, /^endless: it took longer than 2000 ms/);
    assert.equal((await post("keep")).status, 202);
  });

  await t.test("process.exit ends its process and nothing else", async () => {
    assert.match(await failureOf(gateway, "exits", {}), /exits: it ended its process/);
    assert.equal((await post("keep")).status, 202);
  });

  await t.test("only its code reaches the log", async () => {
    await post("throws", { text: "secret-text" });
    assert.match((await lastRecord(gateway)).reason, /secret-text/);
    const log = gateway.logLines.join("");
    assert.doesNotMatch(log, /secret/);
    assert.doesNotMatch(log, /cannot read/);
    assert.match(log, /mapping-failed/);
  });
});

test("with forEach, more than a transform may get for a request is 500 with a record", async (t) => {
  const gateway = await startTestGateway(t, settings, { files });
  const items = Array.from({ length: 1000 }, (_, n) => ({ n }));
  const reason = await failureOf(gateway, "each", { around: "x".repeat(100_000), items });
  assert.match(reason, /its elements are more than the 32,000,000 characters that a transform gets/);
});
