// Endless loops, memory bombs, dying processes, and more requests than processes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../test/support/process.ts";
import type { Transforms } from "./pool.ts";
import { call, folderWith, opened, reference } from "../../test/fixtures/transforms.ts";

/** Does what the payload asks for; `gate` blocks its process until a file exists. */
const obedient = `
import { existsSync } from "node:fs";
export default ({ payload }) => {
  const kept = [];
  if (payload.do === "loop") for (;;);
  if (payload.do === "wait") return new Promise(() => {});
  if (payload.do === "exit") process.exit(0);
  if (payload.do === "stray") { setTimeout(() => { throw new Error("stray"); }); return new Promise(() => {}); }
  if (payload.do === "objects") for (;;) kept.push({ kept: [kept.length] });
  if (payload.do === "arrays") for (;;) kept.push(new Array(1e7).fill(1.5));
  if (payload.do === "buffers") for (;;) kept.push(Buffer.alloc(1e6, 1));
  if (payload.do === "gate") while (!existsSync(payload.file));
  return { payload: process.pid };
};`;
const module = "obedient.mjs";

const start = (...[context, options]: [Parameters<typeof opened>[0], Parameters<typeof opened>[3]?]) =>
  opened(context, folderWith({ [module]: obedient }), [module], options);

const ask = (transforms: Transforms, payload: unknown) => transforms.run(reference(module), [call(payload)]);

async function processOf(transforms: Transforms, payload: unknown = {}): Promise<number> {
  const result = await ask(transforms, payload);
  assert.ok(Array.isArray(result), JSON.stringify(result));
  const [first] = result;
  assert.ok(first?.kind === "changed");
  return Number(first.value["payload"]);
}

test("the time limit ends an endless loop and a promise that never settles", async (context) => {
  const transforms = await start(context, { timeoutMs: 300 });
  const before = await processOf(transforms);
  for (const what of ["loop", "wait"]) {
    const fault = await ask(transforms, { do: what });
    assert.deepEqual(fault, { kind: "timeout", reason: "it took longer than 300 ms" });
    assert.notEqual(await processOf(transforms), before);
  }
});

test("all calls of a request share one time limit", async (context) => {
  const slow = `export default () => new Promise((resolve) => setTimeout(resolve, 200));`;
  const transforms = await opened(context, folderWith({ "slow.mjs": slow }), ["slow.mjs"], {
    timeoutMs: 600,
  });
  const result = await transforms.run(
    reference("slow.mjs"),
    Array.from({ length: 10 }, () => call()),
  );
  assert.equal((result as { kind?: string }).kind, "timeout");
});

test("process.exit and a stray error end the process and fail only their own call", async (context) => {
  const transforms = await start(context);
  assert.deepEqual(
    await Promise.all([ask(transforms, { do: "exit" }), processOf(transforms).then(() => "fine")]),
    [{ kind: "failed", reason: "it ended its process, as process.exit() does" }, "fine"],
  );
  const stray = await ask(transforms, { do: "stray" });
  assert.deepEqual(stray, { kind: "failed", reason: "it threw outside of a call: Error: stray" });
  await processOf(transforms);
});

test("a memory bomb of any kind ends its process and not the gateway", async (context) => {
  const transforms = await start(context);
  for (const what of ["objects", "arrays", "buffers"]) {
    const fault = await ask(transforms, { do: what });
    assert.deepEqual(fault, { kind: "failed", reason: "it used more than 128 MB of memory" }, what);
    await processOf(transforms);
  }
});

test("a module that breaks after loading keeps running as loaded", async (context) => {
  const folder = folderWith({ [module]: obedient, "other.ts": "export default () => null;" });
  const transforms = await opened(context, folder, [module, "other.ts"]);
  writeFileSync(join(folder, module), "export default 1;");
  await ask(transforms, { do: "exit" });
  assert.ok(Array.isArray(await ask(transforms, {})));
  assert.deepEqual(await transforms.run(reference("other.ts"), [call()]), [{ kind: "skip" }]);
});

test("while one process is busy, a second serves and is kept for a while", async (context) => {
  const transforms = await start(context);
  const file = join(folderWith({}), "gate");
  const first = processOf(transforms, { do: "gate", file });
  const second = await processOf(transforms);
  assert.equal(await processOf(transforms), second);
  writeFileSync(file, "");
  assert.notEqual(await first, second);
});

test("an idle second process is ended, and the first is kept", async (context) => {
  const transforms = await start(context, { limits: { idleMs: 0 } });
  const seconds = new Set<number>();
  await until("another second process", async () => {
    const file = join(folderWith({}), "gate");
    const first = processOf(transforms, { do: "gate", file });
    seconds.add(await processOf(transforms));
    writeFileSync(file, "");
    await first;
    return seconds.size > 1;
  });
});

test("1,000 requests may wait; close refuses them and lets the running one finish", async (context) => {
  const transforms = await start(context);
  const file = join(folderWith({}), "gate");
  const running = processOf(transforms, { do: "gate", file });
  const waiting = Array.from({ length: 1_000 }, () => ask(transforms, { do: "gate", file }));
  assert.deepEqual(await ask(transforms, {}), {
    kind: "busy",
    reason: "1000 requests wait for a process already",
  });
  const closed = transforms.close();
  const stopping = { kind: "stopping", reason: "the gateway is stopping" };
  for (const outcome of await Promise.all(waiting)) assert.deepEqual(outcome, stopping);
  assert.deepEqual(await ask(transforms, {}), stopping);
  writeFileSync(file, "");
  assert.ok((await running) > 0);
  await closed;
});

test("a request that waited too long is refused", async (context) => {
  const transforms = await start(context, { limits: { waitMs: -1 } });
  const { kind } = (await ask(transforms, {})) as { kind?: string };
  assert.equal(kind, "busy");
});
