import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { UsageError } from "../../core/errors.ts";
import type { startGateway } from "../../gateway/gateway.ts";
import {
  createConfig,
  createFolder,
  createTestContext,
  hookToken,
} from "../../../test/fixtures/command-line.ts";
import type { Found } from "../doctor/found.ts";
import { serve } from "./serve.ts";
import { loadSettings } from "../open/settings.ts";
import { start } from "./start.ts";

function fakeGateway(host = "127.0.0.1") {
  const ready = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const ports: (number | undefined)[] = [];
  let stops = 0;
  const startWith: typeof startGateway = async ({ port, store }) => {
    await (await store).close();
    ports.push(port);
    setImmediate(ready.resolve);
    return {
      host,
      port: port || 4242,
      stop() {
        stops++;
        return stopped.promise;
      },
    };
  };
  return { startWith, ready: ready.promise, finish: stopped.resolve, ports, stops: () => stops };
}

test("serve prints its address, stops at a signal, and ends at once at the second", async (t) => {
  const { env } = createConfig(t);
  const { context, written, signal, exits } = createTestContext([], { env });
  const gateway = fakeGateway("::1");
  const served = serve(context, {
    load: () => loadSettings(context, undefined),
    port: 0,
    start: gateway.startWith,
  });
  await gateway.ready;
  assert.equal(written.stdout, "rouse listening on http://[::1]:4242\n");
  assert.deepEqual(gateway.ports, [0]);
  assert.equal(gateway.stops(), 0);
  signal();
  await Promise.resolve();
  assert.equal(gateway.stops(), 1);
  assert.deepEqual(exits, []);
  signal();
  assert.deepEqual(exits, [1]);
  gateway.finish();
  assert.equal(await served, 0);
});

test("a port in use is a clear message", async (t) => {
  const { env } = createConfig(t);
  const { context } = createTestContext([], { env });
  const fault = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
  const failing: typeof startGateway = async ({ store }) => {
    await (await store).close();
    throw fault;
  };
  await assert.rejects(
    serve(context, { load: () => loadSettings(context, undefined), port: undefined, start: failing }),
    (thrown) => thrown instanceof UsageError && /Port 4665 on 127\.0\.0\.1 is in use/.test(thrown.message),
  );
});

test("serve refuses a config with problems and lists all of them", async (t) => {
  const { rouse } = createConfig(t, { gateway: { port: "x" }, hooks: { enabled: true } });
  const { code, stderr, stdout } = await rouse(["serve"]);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /gateway\.port: .*\(line 3, column \d+\)/);
  assert.match(stderr, /hooks\.token: is required/);
  assert.equal((await rouse(["serve", "--port", "x"])).code, 2);
});

async function startOnce(
  env: NodeJS.ProcessEnv,
  argv: readonly string[] = [],
  findAgents: () => Promise<Found[]> = async () => [],
) {
  const { context, written, signal } = createTestContext(argv, { env });
  const gateway = fakeGateway("0.0.0.0");
  const started = start(context, { startGateway: gateway.startWith, findAgents });
  await Promise.race([gateway.ready, started]);
  signal();
  gateway.finish();
  assert.equal(await started, 0);
  return written.stdout;
}

test("start makes a config once, and shows its token only then", async (t) => {
  const { folder } = createFolder(t);
  const env = { ROUSE_HOME: join(folder, "home") };
  const file = join(folder, "home", "rouse.jsonc");
  const first = await startOnce(env);
  assert.ok(existsSync(file));
  const token = /Bearer ([\w-]{43})'/.exec(first)?.[1];
  assert.ok(token && readFileSync(file, "utf8").includes(token));
  assert.match(first, /^rouse listening on http:\/\/0\.0\.0\.0:4242$/m);
  assert.match(first, /http:\/\/127\.0\.0\.1:4242\/hooks\/wake/);
  assert.ok(first.includes(file) && first.includes(join(folder, "home", "rouse.db")));
  const config = readFileSync(file, "utf8");
  const second = await startOnce(env);
  assert.equal(readFileSync(file, "utf8"), config);
  assert.ok(!second.includes(token));
  assert.match(second, /Bearer \$ROUSE_TOKEN"/);
});

test("start with an existing config never shows its token", async (t) => {
  const { env } = createConfig(t);
  assert.ok(!(await startOnce(env)).includes(hookToken));
});

test("start --port in an empty home writes that port; 0 and an existing config keep gateway.port, which is said", async (t) => {
  const homeWith = async (port: string) => {
    const env = { ROUSE_HOME: join(createFolder(t).folder, "home") };
    const stdout = await startOnce(env, ["--port", port]);
    const file = join(env.ROUSE_HOME, "rouse.jsonc");
    return { env, stdout, portWritten: () => /"port": (\d+)/.exec(readFileSync(file, "utf8"))?.[1] };
  };
  const { env, stdout, portWritten } = await homeWith("4670");
  assert.equal(portWritten(), "4670");
  assert.doesNotMatch(stdout, /stays/);
  assert.match(await startOnce(env, ["--port", "4671"]), /4671 for this start; gateway\.port stays 4670/);
  assert.equal(portWritten(), "4670");
  const free = await homeWith("0");
  assert.equal(free.portWritten(), "4665");
  assert.match(free.stdout, /4242 for this start; gateway\.port stays 4665/);
});

const foundAs = (name: string): Found => ({
  name,
  what: `${name} (/usr/bin/${name})`,
  agents: `"list": [{ "id": "main", "kind": "command", "preset": "${name}" }],`,
  models: null,
});

test("start names what could be an agent while echo is the only one, in a few lines", async (t) => {
  const { env } = createConfig(t);
  const found = ["claude", "codex", "gemini", "ollama"].map(foundAs);
  const printed = await startOnce(env, [], async () => found);
  assert.ok(
    printed.endsWith(`
The agent only echoes. To use what this machine has, write into the config:
  claude (/usr/bin/claude)
    in "agents":  "list": [{ "id": "main", "kind": "command", "preset": "claude" }],
  codex (/usr/bin/codex)
    in "agents":  "list": [{ "id": "main", "kind": "command", "preset": "codex" }],
Also found: gemini, ollama. Their lines: rouse doctor
`),
    printed,
  );
  assert.doesNotMatch(await startOnce(env, [], async () => found.slice(0, 1)), /Also found/);
  assert.doesNotMatch(await startOnce(env), /echoes/);
});

test("start looks for no agent when the config has one", async (t) => {
  const agents = { list: [{ id: "main", kind: "command", command: "cat" }] };
  const { env } = createConfig(t, { hooks: { enabled: true, token: hookToken }, agents });
  const printed = await startOnce(env, [], () => Promise.reject(new Error("it looked")));
  assert.doesNotMatch(printed, /echoes/);
});
