// What a transform gets, and how its result is used.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { call, folderWith, opened, reference, resultOf } from "../../test/fixtures/transforms.ts";

test("a transform gets the request and the action", async (context) => {
  const result = await resultOf(
    context,
    "export default (input, action) => ({ payload: { input, action } });",
  );
  const value = { payload: call({ count: 1, list: [{ deep: true }] }) };
  assert.deepEqual(result, [{ kind: "changed", value }]);
});

test("nothing keeps, null skips, an object changes; async, and in order", async (context) => {
  const folder = folderWith({
    "a.ts": `export default async ({ payload }: { payload: number }) => {
      await null;
      return payload === 0 ? undefined : payload === 1 ? null : { name: String(payload), to: undefined };
    };`,
  });
  const transforms = await opened(context, folder, ["a.ts"]);
  assert.deepEqual(await transforms.run(reference("a.ts"), [call(0), call(1), call(2)]), [
    { kind: "kept" },
    { kind: "skip" },
    { kind: "changed", value: { name: "2" } },
  ]);
  assert.deepEqual(await transforms.run(reference("a.ts"), []), []);
});

test("changing the input is an error, at any depth", async (context) => {
  for (const change of [
    "input.payload = 1",
    "input.payload.count = 2",
    "input.payload.list.push(1)",
    "input.payload.list[0].deep = false",
    "input.headers.more = 'x'",
    "action.message = 'x'",
  ]) {
    const result = await resultOf(context, `export default (input, action) => { ${change}; };`, "one.mjs");
    const { kind, reason } = result as { kind: string; reason: string };
    assert.equal(kind, "failed", change);
    assert.match(reason, /^it threw TypeError: Cannot /, change);
  }
});

test("an error, a rejection and a thrown value fail the request", async (context) => {
  const reasons = [
    ["throw new RangeError('too\\nmuch\\u001b[31m')", "it threw RangeError: too much [31m"],
    ["return Promise.reject(new Error('later'))", "it threw Error: later"],
    ["throw 'words'", "it threw words"],
    ["throw undefined", "it threw undefined"],
  ];
  for (const [body, reason] of reasons) {
    const result = await resultOf(context, `export default () => { ${body}; };`);
    assert.deepEqual(result, { kind: "failed", reason }, body);
  }
  const long = await resultOf(context, "export default () => { throw new Error('x'.repeat(9000)); };");
  assert.equal((long as { reason: string }).reason.length, 500);
});

test("an invalid result fails the request", async (context) => {
  const results = [
    ["'text'", /^it returned a string; a transform returns nothing, null or an object$/],
    ["[{}]", /^it returned an array/],
    ["({ payload: { run() {} } })", /^its result\.payload\.run is a function, which JSON cannot carry$/],
    ["({ payload: 1n })", /^its result\.payload is a bigint/],
    ["{ const a = {}; a.a = a; return a; }", /contains itself/],
  ] as const;
  for (const [body, reason] of results) {
    const result = (await resultOf(context, `export default () => ${body};`, "one.mjs")) as {
      reason: string;
    };
    assert.match(result.reason, reason);
  }
});

test("one bad call fails its request and no other", async (context) => {
  const text = "export default ({ payload }) => { if (payload === 1) throw new Error('one'); };";
  const transforms = await opened(context, folderWith({ "a.mjs": text }), ["a.mjs"]);
  const run = (...payloads: number[]) => transforms.run(reference("a.mjs"), payloads.map(call));
  assert.deepEqual(await Promise.all([run(0, 1, 2), run(2, 3)]), [
    { kind: "failed", reason: "it threw Error: one" },
    [{ kind: "kept" }, { kind: "kept" }],
  ]);
});

test("printed text goes to `onOutput`, posted messages are ignored", async (context) => {
  const text = `import { parentPort } from "node:worker_threads";
    export default () => {
      parentPort?.postMessage({ kind: "done", results: "nonsense" });
      console.log("to stdout");
      console.error("to stderr");
    };`;
  const printed = Promise.withResolvers<void>();
  let output = "";
  const onOutput = (more: string): void => {
    output += more;
    if (output.includes("to stdout\n") && output.includes("to stderr\n")) printed.resolve();
  };
  const folder = folderWith({ "a.ts": text });
  const heard = await opened(context, folder, ["a.ts"], { onOutput });
  const written = context.mock.method(process.stdout, "write");
  assert.deepEqual(await heard.run(reference("a.ts"), [call()]), [{ kind: "kept" }]);
  await printed.promise;
  const dropped = await opened(context, folder, ["a.ts"]);
  assert.deepEqual(await dropped.run(reference("a.ts"), [call()]), [{ kind: "kept" }]);
  await dropped.close();
  assert.ok(written.mock.calls.every((each) => !String(each.arguments[0]).includes("to std")));
});

test("every process runs the modules as the first one read them, even if the files have changed", async (context) => {
  const folder = folderWith({
    "a.ts": `import { word } from "./inner/b.mjs";
      import data from "./data.json" with { type: "json" };
      export default ({ payload }: { payload: string }) => {
        if (payload === "exit") process.exit();
        return { name: word + data.end };
      };`,
    "inner/b.mjs": `import c from "../c.cjs"; export const word = "kept" + c;`,
    "c.cjs": `module.exports = require("./d.cjs");`,
    "d.cjs": `module.exports = ", ";`,
    "data.json": `{ "end": "whole" }`,
    "e.js": `exports.transform = () => ({ name: "script" });`,
  });
  const transforms = await opened(context, folder, ["a.ts", "e.js"]);
  rmSync(folder, { recursive: true });
  const end = await transforms.run(reference("a.ts"), [call("exit")]);
  assert.match((end as { reason: string }).reason, /ended its process/);
  const named = (name: string) => [{ kind: "changed", value: { name } }];
  assert.deepEqual(await transforms.run(reference("a.ts"), [call("")]), named("kept, whole"));
  assert.deepEqual(await transforms.run(reference("e.js"), [call("")]), named("script"));
});
