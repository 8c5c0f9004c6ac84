// What a process of its own promises: whatever a transform does, its request fails alone, and nothing of it is left.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { call, folderWith, opened, reference } from "../../test/fixtures/transforms.ts";
import { until } from "../../test/support/process.ts";
import type { Transforms } from "./pool.ts";

const module = "obedient.mjs";

/** Does what the payload asks for, after it has written its process id to a file. */
const obedient = (bodies: Record<string, string>) => `
import { spawn } from "node:child_process";
import { writeFileSync, writeSync, closeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
const note = (file, pid) => writeFileSync(file, String(pid));
const acts = {
  ok: ({ payload }) => ({ payload: process.pid }),
  ${Object.entries(bodies)
    .map(([name, body]) => `${JSON.stringify(name)}: ({ payload }) => { ${body} },`)
    .join("\n  ")}
};
export default (input) => {
  if (input.payload.file) note(input.payload.file, process.pid);
  return acts[input.payload.do](input);
};`;

async function start(context: TestContext, bodies: Record<string, string>, timeoutMs = 60_000) {
  const folder = folderWith({ [module]: obedient(bodies) });
  const transforms = await opened(context, folder, [module], { timeoutMs });
  return { transforms, file: (name: string) => join(folder, name) };
}

const ask = (transforms: Transforms, payload: object) => transforms.run(reference(module), [call(payload)]);

async function reasonOf(transforms: Transforms, payload: object): Promise<string> {
  const outcome = await ask(transforms, payload);
  assert.ok(!Array.isArray(outcome), "it must fail");
  return outcome.reason;
}

async function serves(transforms: Transforms): Promise<number> {
  const outcome = await ask(transforms, { do: "ok" });
  assert.ok(Array.isArray(outcome) && outcome[0]?.kind === "changed", JSON.stringify(outcome));
  return Number(outcome[0].value["payload"]);
}

const pidIn = (file: string): number => Number(readFileSync(file, "utf8"));

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (pid: number) => until(`process ${pid} to be gone`, async () => !runs(pid));

test("loops that answer no interrupt are killed at the time limit, and nothing of them is left", async (context) => {
  const loops = {
    "empty loop": "for (;;);",
    "arrays in a loop": "for (;;) Array(40).fill(0);",
    "a regular expression": "/^(a+)+$/.test('a'.repeat(60) + 'b');",
    "a stopped process": "process.kill(process.pid, 'SIGSTOP'); for (;;);",
    "a wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    microtasks: "const again = () => Promise.resolve().then(again); return again();",
    "signals that are ignored":
      "for (const each of ['SIGTERM', 'SIGINT']) process.on(each, () => {}); for (;;);",
  };
  const { transforms, file } = await start(context, loops, 1_000);
  for (const [at, name] of Object.keys(loops).entries()) {
    const noted = file(String(at));
    assert.equal(await reasonOf(transforms, { do: name, file: noted }), "it took longer than 1000 ms", name);
    await gone(pidIn(noted));
    await serves(transforms);
  }
});

test("memory that grows in any way ends the process, and the next request is served", async (context) => {
  const bombs = {
    "small arrays": "const kept = []; for (;;) kept.push(Array(40).fill(0));",
    "one array": "let grown = [1]; for (;;) grown = grown.concat(grown);",
    "one allocation": "return { payload: Array(2 ** 27).fill(1.5).length };",
    "one string": "return { message: 'x'.repeat(2 ** 29 - 24) };",
    "off the heap": "const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 24, 1));",
  };
  const { transforms } = await start(context, bombs);
  for (const name of Object.keys(bombs)) {
    assert.equal(await reasonOf(transforms, { do: name }), "it used more than 128 MB of memory", name);
    await serves(transforms);
  }
});

test("what it started is dead after the time limit, after its own end, and after close", async (context) => {
  const begin =
    "note(payload.file + '.child', spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)']).pid);";
  const acts = {
    loops: `${begin} for (;;);`,
    exits: `${begin} process.exit(0);`,
    returns: `${begin} return null;`,
  };
  const { transforms, file } = await start(context, acts, 2_000);
  const childOf = async (name: string) => {
    await ask(transforms, { do: name, file: file(name) });
    return pidIn(file(`${name}.child`));
  };
  await gone(await childOf("loops"));
  await gone(await childOf("exits"));
  const last = await childOf("returns");
  assert.ok(runs(last));
  await transforms.close();
  await gone(last);
  await gone(pidIn(file("returns")));
});

test("a string of any size that it returns, throws or prints ends its own request at most", async (context) => {
  const acts = {
    returned: "return { message: 'x'.repeat(9e6) };",
    escaped: String.raw`return { message: '\u0001'.repeat(2e6) };`,
    numbers: "return { payload: Array(3e6).fill(123) };",
    thrown: "throw new Error('x'.repeat(1e8));",
    printed: "for (let at = 0; at < 9; at++) console.log('x'.repeat(1e7)); return null;",
    echoed: "return { payload };",
  };
  const { transforms } = await start(context, acts);
  const tooLarge = "its result is larger than its input by more than 8 MB";
  const pid = await serves(transforms);
  for (const name of ["returned", "escaped", "numbers"])
    assert.equal(await reasonOf(transforms, { do: name }), tooLarge, name);
  assert.match(await reasonOf(transforms, { do: "thrown" }), /^it threw Error: x{484}$/);
  assert.deepEqual(await ask(transforms, { do: "printed" }), [{ kind: "skip" }]);
  assert.equal(await serves(transforms), pid, "our own code refused them, in the same process");
  const echoed = await ask(transforms, { do: "echoed", text: "x".repeat(9e6) });
  assert.ok(Array.isArray(echoed), "a result may be as large as what was given, and 8 MB more");
});

test("the results of a request count together", async (context) => {
  const { transforms } = await start(context, { some: "return { message: 'x'.repeat(3e6) };" });
  const calls = Array.from({ length: 3 }, () => call({ do: "some" }));
  assert.equal(((await transforms.run(reference(module), calls.slice(1))) as unknown[]).length, 2);
  const outcome = await transforms.run(reference(module), calls);
  assert.equal(
    (outcome as { reason: string }).reason,
    "its result is larger than its input by more than 8 MB",
  );
});

test("a call that is longer than any process could take fails, and the next is served", async (context) => {
  const { transforms } = await start(context, {});
  const part = "x".repeat(1_048_576);
  const reason = await reasonOf(transforms, { do: "ok", parts: Array<string>(130).fill(part) });
  assert.equal(reason, "its input is larger than 128 MB");
  await serves(transforms);
});

test("messages that a transform forges are no results", async (context) => {
  const done = `JSON.stringify({ kind: "done", sequence: 1, ms: 1, result: { kind: "skip" } })`;
  const forge = (head: string) =>
    `const text = Buffer.from(${done}); const head = Buffer.alloc(20); ${head} writeSync(3, Buffer.concat([head, text]));
     for (;;);`;
  const acts = {
    "without the key": forge("head.writeUInt32BE(text.length);"),
    "of a huge length": forge("head.writeUInt32BE(0xffffffff);"),
    "bare text": `writeSync(3, ${done} + "\\n"); for (;;);`,
    "to a parent": `process.send?.({ kind: "done" }); parentPort?.postMessage({ kind: "done" }); return { name: "true" };`,
    "in output": `console.log(${done}); return { name: "true" };`,
    "a closed pipe": "closeSync(3); return { name: 'never' };",
    "our JSON": "JSON.stringify = JSON.parse = () => '{}'; return { name: 'true' };",
    "any object": "Object.prototype.toJSON = () => 'x'; return { name: 'never' };",
  };
  const { transforms } = await start(context, acts, 5_000);
  for (const name of ["without the key", "of a huge length", "bare text"]) {
    assert.equal(await reasonOf(transforms, { do: name }), "it wrote to the pipe of its results", name);
    await serves(transforms);
  }
  for (const name of ["to a parent", "in output", "our JSON"])
    assert.deepEqual(await ask(transforms, { do: name }), [{ kind: "changed", value: { name: "true" } }]);
  assert.equal(await reasonOf(transforms, { do: "any object" }), "it sent what is no result");
  await serves(transforms);
  assert.match(await reasonOf(transforms, { do: "a closed pipe" }), /./);
  await serves(transforms);
});

test("requests that were given to a process ahead are run elsewhere when it ends", async (context) => {
  const { transforms } = await start(context, { exits: "process.exit(0);", loops: "for (;;);" }, 2_000);
  for (let warm = 0; warm < 50; warm++) await serves(transforms);
  const kinds = Array.from({ length: 60 }, (_, at) => (at === 20 ? "exits" : at === 40 ? "loops" : "ok"));
  const outcomes = await Promise.all(kinds.map((kind) => ask(transforms, { do: kind })));
  assert.deepEqual(
    outcomes.map((outcome) => (Array.isArray(outcome) ? "ok" : outcome.reason)),
    kinds.map((kind) =>
      kind === "exits"
        ? "it ended its process, as process.exit() does"
        : kind === "loops"
          ? "it took longer than 2000 ms"
          : "ok",
    ),
  );
});

test("while a request takes long, a second process is made ready, before anybody waits for it", async (context) => {
  const folder = folderWith({
    [module]: `import { writeFileSync } from "node:fs";
      writeFileSync(import.meta.dirname + "/" + process.pid + ".pid", "");
      export default () => { for (;;); };`,
  });
  const transforms = await opened(context, folder, [module]);
  const looping = ask(transforms, {});
  await until(
    "two processes",
    async () => readdirSync(folder).filter((name) => name.endsWith(".pid")).length === 2,
  );
  transforms.stop();
  assert.deepEqual(await looping, { kind: "stopping", reason: "the gateway is stopping" });
});

test("a late throw ends its process and no request after it", async (context) => {
  const late = "setTimeout(() => { throw new Error('late'); }); return { payload: process.pid };";
  const { transforms } = await start(context, { late });
  const outcome = await ask(transforms, { do: "late" });
  assert.ok(Array.isArray(outcome) && outcome[0]?.kind === "changed");
  await gone(Number(outcome[0].value["payload"]));
  await serves(transforms);
});

test("the gateway's environment does not reach it", async (context) => {
  process.env["ROUSE_TEST_TOKEN"] = "a-secret";
  context.after(() => delete process.env["ROUSE_TEST_TOKEN"]);
  const { transforms } = await start(context, {
    env: "return { name: JSON.stringify([process.env, process.argv, process.execArgv]) };",
  });
  const outcome = await ask(transforms, { do: "env" });
  assert.ok(Array.isArray(outcome) && outcome[0]?.kind === "changed");
  const seen = String(outcome[0].value["name"]);
  assert.ok(!seen.includes("a-secret"), seen);
  assert.match(seen, /"PATH":/);
});

test(
  "the system's limits hold where it has them",
  { skip: !existsSync("/proc/self/limits") },
  async (context) => {
    const { transforms, file } = await start(context, {
      limits:
        "return { name: process.getBuiltinModule('node:fs').readFileSync('/proc/self/limits', 'utf8') };",
    });
    const outcome = await ask(transforms, { do: "limits", file: file("pid") });
    assert.ok(Array.isArray(outcome) && outcome[0]?.kind === "changed");
    const limits = String(outcome[0].value["name"]);
    assert.match(limits, /Max data size +1610612736 /);
    assert.match(limits, /Max core file size +0 /);
  },
);

test("the processes of a gateway that was killed end, also in an endless loop", async () => {
  const folder = folderWith({ [module]: obedient({ loops: "for (;;);" }) });
  const gateway = new URL("../../test/fixtures/transform-gateway.ts", import.meta.url).pathname;
  const pids = [1, 2].map((each) => join(folder, String(each)));
  const child = spawn(process.execPath, [gateway, folder, module, ...pids], { stdio: "ignore" });
  const written = (file: string) => existsSync(file) && readFileSync(file, "utf8") !== "";
  await until("both processes to loop", async () => pids.every(written));
  child.kill("SIGKILL");
  for (const file of pids) await gone(pidIn(file));
});
