import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { challengeHeader, proofOf } from "../../core/store-proof.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/id.ts";
import { anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import { judgeDifference } from "../doctor/clock.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkNode, judgeDisk } from "../doctor/machine.ts";
import {
  createConfig,
  createFolder,
  createStoredHome,
  gatewayToken,
  hookToken,
  json,
  type Result,
} from "../../../test/fixtures/command-line.ts";

const findingsOf = (result: Result) => {
  const { ok, checks } = json(result) as { ok: boolean; checks: Finding[] };
  const named = new Map(checks.map((finding) => [finding.check, finding]));
  return { ok, of: (check: string) => named.get(check)!, checks };
};

/** `identity` is that of its store. */
async function readyServer(t: TestContext, status: number, identity?: string): Promise<number> {
  const server = createServer(({ url, headers }, response) => {
    const proof = identity === undefined ? undefined : proofOf(identity, String(headers[challengeHeader]));
    response.writeHead(url === "/readyz" ? status : 404).end(JSON.stringify({ ok: true, proof }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const configWith = (more: { gateway?: object; agents?: object; store?: object; hooks?: object }) => ({
  ...more,
  gateway: { auth: { token: gatewayToken }, ...more.gateway },
  hooks: { enabled: true, token: hookToken, ...more.hooks },
});

test("a good setup is ok everywhere", async (t) => {
  const { store, rouse, file } = await createStoredHome(t);
  const port = await readyServer(t, 200, await store.identity());
  writeFileSync(file, JSON.stringify(configWith({ gateway: { port } })));
  await store.accept(anAcceptance({ hook: "wake", events: [anEvent()] }));
  await acceptRuns(store, aRun());
  const result = await rouse(["doctor", "--json"]);
  const { ok, of, checks } = findingsOf(result);
  assert.ok(ok);
  assert.equal(result.code, 0);
  for (const { check, status } of checks.filter(({ check }) => check !== "disk space"))
    assert.equal(status, "ok", check);
  assert.match(of("waiting work").message, /^1 runs not finished, 1 events waiting, 0 deliveries failed/);
  assert.match((await rouse(["doctor"])).stdout, /^ok +gateway: responds/m);
});

test("without a config no other check runs, and none is ok", async (t) => {
  const result = await createFolder(t).rouse(["doctor", "--json"]);
  const { ok, checks, of } = findingsOf(result);
  assert.equal(ok, false);
  assert.equal(result.code, 1);
  assert.equal(of("config").status, "fail");
  for (const { check, status, message } of checks.slice(2)) {
    assert.equal(status, "warn", check);
    assert.match(message, /^not checked/, check);
  }
});

test("a gateway that is not running is a warning; one that cannot accept fails", async (t) => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const statusOf = async (gateway: object) => {
    const { rouse } = createConfig(t, configWith({ gateway }));
    return findingsOf(await rouse(["doctor", "--json"])).of("gateway").status;
  };
  assert.equal(await statusOf({ port }), "warn");
  assert.equal(await statusOf({ port: 0 }), "warn");
  assert.equal(await statusOf({ port: await readyServer(t, 503) }), "fail");
});

test("a gateway or program on the port that does not use this store fails: it is not this home's", async (t) => {
  const { store, rouse, file } = await createStoredHome(t);
  const statusWith = async (port: number) => {
    writeFileSync(file, JSON.stringify(configWith({ gateway: { port } })));
    return findingsOf(await rouse(["doctor", "--json"])).of("gateway");
  };
  const identity = await store.identity();
  assert.equal((await statusWith(await readyServer(t, 200, identity))).status, "ok");
  const stranger = await statusWith(await readyServer(t, 200, "another store"));
  assert.equal(stranger.status, "fail");
  assert.match(stranger.message, /does not use this store/);
  for (const port of [await readyServer(t, 200), await readyServer(t, 404)])
    assert.equal((await statusWith(port)).status, "fail");
  const { rouse: withoutStore } = createConfig(
    t,
    configWith({ gateway: { port: await readyServer(t, 200, identity) } }),
  );
  assert.equal(findingsOf(await withoutStore(["doctor", "--json"])).of("gateway").status, "fail");
});

test("each sender is checked by what the store knows of its calls", async (t) => {
  const { store, rouse, file } = await createStoredHome(t);
  const hooks = {
    senders: { github: { kind: "github", secret: "a secret of the tests" } },
    mappings: [{ match: { path: "github" }, messageTemplate: "x" }],
  };
  writeFileSync(file, JSON.stringify(configWith({ gateway: { port: 0 }, hooks })));
  const found = async () => findingsOf(await rouse(["doctor", "--json"])).of("sender github");
  assert.match((await found()).message, /^has never called/);
  await store.noteCalls([{ name: "github", result: "wrong-secret", calls: 2, agoMs: 500, skewMs: null }]);
  assert.match((await found()).message, /wrong-secret \(2 in all/);
  await store.noteCalls([{ name: "github", result: "proven", calls: 1, agoMs: 0, skewMs: null }]);
  assert.equal((await found()).status, "ok");
});

test("open files, weak tokens and open addresses are warnings", async (t) => {
  const { rouse, file } = createConfig(
    t,
    configWith({ hooks: { token: "short" }, gateway: { host: "0.0.0.0", port: 0 } }),
  );
  chmodSync(file, 0o644);
  const { of } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(of("config mode").status, "warn");
  assert.match(of("config mode").fix ?? "", /chmod 600/);
  assert.equal(of("tokens").status, "warn");
  assert.equal(of("bind address").status, "warn");
  assert.equal(of("store").status, "warn");
  assert.match(of("waiting work").message, /^not checked/);
});

test("secret files and store files that others can read are warnings", async (t) => {
  const { rouse, folder } = createConfig(
    t,
    configWith({ hooks: { token: { file: "hook-token" } }, gateway: { port: 0 } }),
  );
  for (const name of ["hook-token", "rouse.db", "rouse.db-wal"]) {
    writeFileSync(join(folder, name), name === "hook-token" ? hookToken : "");
    chmodSync(join(folder, name), 0o600);
  }
  const findings = async () => findingsOf(await rouse(["doctor", "--json"])).of;
  const before = await findings();
  assert.equal(before("secret files").status, "ok");
  assert.equal(before("store files").status, "ok");
  chmodSync(join(folder, "hook-token"), 0o640);
  chmodSync(join(folder, "rouse.db-wal"), 0o644);
  const after = await findings();
  assert.equal(after("secret files").status, "warn");
  assert.match(after("secret files").fix ?? "", /^chmod 600 \S+hook-token$/);
  assert.equal(after("store files").status, "warn");
  assert.match(after("store files").message, /rouse\.db-wal \(0644\)/);
});

test("the same token for both fails with the config", async (t) => {
  const { rouse } = createConfig(t, configWith({ hooks: { token: gatewayToken } }));
  const { of, ok } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(ok, false);
  assert.match(of("config").message, /hooks\.token.*gateway\.auth\.token/);
});

test("an agent needs its program and its workspace", async (t) => {
  const agents = {
    list: [
      { id: "here", kind: "command", command: "my-agent", workspace: "work" },
      { id: "gone", kind: "command", command: "no-such-program" },
      { id: "plain", kind: "command", command: "./plain.txt" },
      { id: "blocked", workspace: "plain.txt/work" },
    ],
  };
  const { rouse, folder } = createConfig(t, configWith({ agents }));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "my-agent"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(folder, "plain.txt"), "", { mode: 0o644 });
  const env = { ROUSE_HOME: folder, PATH: join(folder, "bin") };
  const { of, ok } = findingsOf(await rouse(["doctor", "--json"], { env }));
  assert.equal(ok, false);
  assert.equal(of("agent here").status, "ok");
  for (const id of ["gone", "plain", "blocked"]) assert.equal(of(`agent ${id}`).status, "fail", id);
});

const mappingsWith = (...mappings: object[]) =>
  configWith({ hooks: { mappings, presets: ["gmail"], transformsDir: "transforms" } });

test("mappings are counted, and each that lifts the safety boundary is named", async (t) => {
  const open = {
    id: "open",
    match: { path: "open" },
    messageTemplate: "{{ a }}",
    allowUnsafeExternalContent: true,
  };
  const note = { ...open, id: "note", match: { path: "note" }, action: "wake", textTemplate: "{{ a }}" };
  const { rouse } = createConfig(t, mappingsWith(open, { match: { path: "b" }, messageTemplate: "b" }, note));
  const { of, ok } = findingsOf(await rouse(["doctor", "--json"]));
  assert.ok(ok);
  assert.equal(of("mappings").status, "ok");
  assert.equal(of("mappings").message, "3 mappings and 1 preset (gmail) on; templates compile");
  assert.equal(of("mapping open").status, "warn");
  assert.match(of("mapping open").message, /^allowUnsafeExternalContent lifts the safety boundary/);
  assert.match(of("mapping note").message, /has no effect on a wake/);
  assert.equal(of("mapping mapping-2"), undefined);
  assert.doesNotMatch(of("config").message, /allowUnsafeExternalContent/);
  const none = findingsOf(await createConfig(t).rouse(["doctor", "--json"]));
  assert.match(none.of("mappings").message, /^none, and no preset/);
});

test("templates that do not compile and transforms that do not load fail", async (t) => {
  const broken = { id: "broken", match: { path: "a" }, messageTemplate: "{{ a" };
  const missing = { match: { path: "b" }, messageTemplate: "b", transform: { module: "gone.ts" } };
  const { rouse, folder } = createConfig(t, mappingsWith(broken, missing));
  mkdirSync(join(folder, "transforms"));
  const { of, ok } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(ok, false);
  assert.equal(of("mappings").status, "fail");
  assert.match(
    of("mappings").message,
    /hooks\.mappings\[0\]\.messageTemplate.*hooks\.mappings\[1\]\.transform/,
  );
  const good = createConfig(t, mappingsWith({ ...missing, transform: { module: "good.mjs" } }));
  mkdirSync(join(good.folder, "transforms"));
  writeFileSync(join(good.folder, "transforms", "good.mjs"), "export default () => undefined;");
  const found = findingsOf(await good.rouse(["doctor", "--json"]));
  assert.match(found.of("mappings").message, /^1 mapping and .* 1 transform can be loaded$/);
});

test("a damaged store fails, and its work is not checked", async (t) => {
  const { rouse, folder } = createConfig(t);
  writeFileSync(join(folder, "rouse.db"), "no database ".repeat(1000));
  const { of, ok } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(ok, false);
  assert.equal(of("store").status, "fail");
  assert.match(of("waiting work").message, /^not checked/);
});

test("failed deliveries are counted", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const failed = aRun();
  await acceptRuns(store, failed);
  await claim(store);
  const delivery = {
    id: newId(),
    runId: failed.id,
    channel: "slack",
    to: null,
    text: "x",
    fallback: null,
    trace: null,
  };
  await store.settleRun(
    { ...failed, lease: "lease" },
    aSettlement({ delivery: { ...delivery, status: "failed", error: "no recipient" } }),
  );
  const { of } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(of("waiting work").status, "warn");
  assert.match(of("waiting work").message, /1 deliveries failed in the last 24 hours/);
});

test("an item stored in the future is a warning", async (t) => {
  const ahead = { ...systemClock, now: () => Date.now() + 60_000 };
  const { store, rouse } = await createStoredHome(t, ahead);
  await store.accept(anAcceptance({ hook: "wake", events: [anEvent()] }));
  const { of } = findingsOf(await rouse(["doctor", "--json"]));
  assert.equal(of("clock").status, "warn");
  assert.match(of("clock").message, /future/);
});

test("the limits for disk, clock and Node.js", () => {
  assert.equal(checkNode("24.0.0").status, "ok");
  assert.equal(checkNode("22.19.0").status, "fail");
  assert.equal(judgeDisk("/x", 50 * 1024 ** 2).status, "fail");
  assert.equal(judgeDisk("/x", 500 * 1024 ** 2).status, "warn");
  assert.equal(judgeDisk("/x", 5000 * 1024 ** 2).status, "ok");
  assert.equal(judgeDifference(5001).status, "warn");
  assert.equal(judgeDifference(-5001).status, "warn");
  assert.equal(judgeDifference(4999).status, "ok");
});

test("mappings that name an unknown agent, a missing channel or the hooks' own path are warnings", async (t) => {
  const mappings = [
    { match: { path: "hooks/ci" }, messageTemplate: "m", agentId: "mian" },
    { match: { path: "b" }, messageTemplate: "m", channel: "slack" },
  ];
  const { rouse } = createConfig(t, configWith({ hooks: { mappings } }));
  const { status, message } = findingsOf(await rouse(["doctor", "--json"])).of("config");
  assert.equal(status, "warn");
  assert.match(message, /mappings\[0\]\.agentId: is the id of no agent: .*did you mean main\?/);
  assert.match(message, /mappings\[0\]\.match\.path: begins with hooks\.path.*write "ci"/);
  assert.match(message, /mappings\[1\]\.channel: is not configured/);
});
