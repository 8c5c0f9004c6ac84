import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import {
  answering,
  createConfig,
  createStoredHome,
  createTestContext,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";
import { loadConfig } from "../../config/load.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import { runList } from "./list.ts";
import { fingerprintOf, runPair } from "./pair.ts";
import { runRemove } from "./remove.ts";
import type { SenderRecord } from "../../core/sender.ts";
import type { SenderRecords } from "./records.ts";

const senders = {
  github: { kind: "github", secret: "a secret of the tests" },
  notion: { kind: "notion" },
  asana: { kind: "asana" },
  shop: { kind: "square", secret: "another secret of the tests", publicUrl: "https://h.example.com/in/shop" },
};
const mappings = Object.keys(senders).map((path) => ({
  id: `${path}-1`,
  match: { path },
  messageTemplate: "x",
}));
const config = { hooks: { enabled: true, token: hookToken, senders, mappings } };

test("kinds lists the table, and shows all about one", async (t) => {
  const { rouse } = createConfig(t);
  const all = json(await rouse(["senders", "kinds", "--json"])) as { kind: string; mappings: string[] }[];
  assert.deepEqual(
    all.map(({ kind }) => kind),
    [...senderKinds.keys()],
  );
  const { stdout } = await rouse(["senders", "kinds"]);
  for (const id of senderKinds.keys()) assert.match(stdout, new RegExp(`^${id} `, "m"));
  const one = await rouse(["senders", "kinds", "github"]);
  assert.match(one.stdout, /mappings: +issue-opened, review-asked, workflow-failed/);
  assert.match(one.stdout, /secret: +ours: the field Secret/);
  assert.match(one.stdout, /1\. Open Settings, Webhooks/);
  const wrong = await rouse(["senders", "kinds", "gihub"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Did you mean github/);
  assert.match((await rouse(["senders", "ad"])).stderr, /no verb "ad"\. Did you mean add/);
});

test("the senders of the config are listed with address and mappings, also without a store", async (t) => {
  const { rouse } = createConfig(t, config);
  const listed = await rouse(["senders"]);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^NAME +KIND +ADDRESS +LAST CALL/);
  assert.match(listed.stdout, /^shop +square +https:\/\/h\.example\.com\/in\/shop +- +- +- .*shop-1$/m);
  assert.match(listed.stdout, /^github +github +\/hooks\/github .*github-1$/m);
  assert.match(listed.stderr, /How the calls went is not known\. There is no store/);
  const empty = createConfig(t);
  assert.match((await empty.rouse(["senders"])).stdout, /has no senders\. Add one.*senders add github/);
});

/** A store's part for senders, in memory. */
function createRecords(statistics: SenderRecord[] = []) {
  const keys = new Map<string, string>();
  const windows: { name: string; forMs: number }[] = [];
  const forgotten: string[] = [];
  const records: SenderRecords = {
    listSenders: async () => statistics,
    async openPairing(pairing) {
      if (keys.has(pairing.name)) return false;
      windows.push(pairing);
      return true;
    },
    async forgetKey(name) {
      forgotten.push(name);
      return keys.delete(name);
    },
    senderKeys: async () => keys,
  };
  let closed = 0;
  const open = async () => ({ ...records, close: async () => void closed++ });
  return { open, keys, windows, forgotten, closed: () => closed };
}

test("calls are shown: last one, last success, failures by class, clock", async (t) => {
  const { env } = createConfig(t, config);
  const at = Date.UTC(2026, 10, 19, 12);
  const records = createRecords([
    {
      name: "github",
      calls: [
        { result: "proven", calls: 5, lastAt: at, skewMs: -400 },
        { result: "wrong-secret", calls: 2, lastAt: at + 60_000, skewMs: null },
        { result: "too-old", calls: 1, lastAt: at - 60_000, skewMs: -412_000 },
      ],
      keyTakenAt: null,
      pairingMs: null,
    },
    { name: "notion", calls: [], keyTakenAt: at, pairingMs: null },
    { name: "asana", calls: [], keyTakenAt: null, pairingMs: 5000 },
  ]);
  const { context, written } = createTestContext([], { env });
  assert.equal(await runList(context, records.open), 0);
  assert.match(
    written.stdout,
    /^github +github +\S+ +2026-11-19T12:01:00Z +2026-11-19T12:00:00Z +right +- +2 wrong-secret, 1 too-old +github-1$/m,
  );
  assert.match(written.stdout, /^notion .* there +/m);
  assert.match(written.stdout, /^asana .* awaited +/m);
  const plain = createTestContext(["--json"], { env });
  await runList(plain.context, records.open);
  const [first] = JSON.parse(plain.written.stdout) as { calls: object }[];
  assert.deepEqual(first?.calls, {
    lastCallAt: "2026-11-19T12:01:00.000Z",
    lastSuccessAt: "2026-11-19T12:00:00.000Z",
    failures: { "wrong-secret": 2, "too-old": 1 },
    skewMs: -400,
  });
  assert.equal(records.closed(), 2);
});

test("the list reads the store of the config", async (t) => {
  const { rouse, store } = await createStoredHome(t, undefined, config);
  await store.noteCalls([{ name: "github", result: "wrong-secret", calls: 3, agoMs: 0, skewMs: null }]);
  assert.match((await rouse(["senders"])).stdout, /^github .* 3 wrong-secret +github-1$/m);
});

test("pair opens a window of ten minutes and shows the key that arrives: Notion's as it is, Asana's fingerprint", async (t) => {
  const { env } = createConfig(t, config);
  for (const name of ["notion", "asana"]) {
    const clock = createFakeClock();
    const records = createRecords();
    const { context, written } = createTestContext([name], { env, clock });
    const paired = runPair(context, records.open);
    await untilOpen(records.windows);
    await clock.advance(30_000);
    assert.deepEqual(records.windows, [{ name, forMs: 600_000 }]);
    records.keys.set(name, "secret_of_the_sender");
    await clock.advance(2_000);
    assert.equal(await paired, 0);
    assert.match(written.stdout, new RegExp(fingerprintOf("secret_of_the_sender")));
    assert.equal(written.stdout.includes("secret_of_the_sender"), name === "notion");
    assert.doesNotMatch(written.stderr, /secret_of_the_sender/);
    assert.deepEqual(records.forgotten, [], "the key stays");
    assert.equal(records.closed(), 1);
  }
});

test("a window without a key is closed, at its end and by a signal", async (t) => {
  const { env } = createConfig(t, config);
  for (const isStopped of [false, true]) {
    const clock = createFakeClock();
    const records = createRecords();
    const { context, signal } = createTestContext(["asana"], { env, clock });
    const paired = runPair(context, records.open).catch((fault: unknown) => String(fault));
    await untilOpen(records.windows);
    if (isStopped) signal();
    await clock.advance(isStopped ? 1_000 : 601_000);
    assert.match(String(await paired), isStopped ? /Stopped: no key is taken/ : /No key arrived within ten/);
    assert.deepEqual(records.forgotten, ["asana"]);
  }
});

test("a key that is there is replaced only when that is asked for", async (t) => {
  const { env } = createConfig(t, config);
  const records = createRecords();
  records.keys.set("notion", "the old key");
  const first = createTestContext(["notion"], { env, clock: createFakeClock() });
  await assert.rejects(runPair(first.context, records.open), /has a key already.*--replace/);
  assert.equal(records.keys.get("notion"), "the old key");
  const clock = createFakeClock();
  const second = createTestContext(["notion", "--replace", "--json"], { env, clock });
  const paired = runPair(second.context, records.open);
  await untilOpen(records.windows);
  records.keys.set("notion", "the new key");
  await clock.advance(1_000);
  assert.equal(await paired, 0);
  assert.deepEqual(JSON.parse(second.written.stdout), {
    name: "notion",
    fingerprint: fingerprintOf("the new key"),
    key: "the new key",
  });
});

test("only senders whose key arrives by request are paired", async (t) => {
  const { rouse } = createConfig(t, config);
  assert.match(
    (await rouse(["senders", "pair", "github"])).stderr,
    /does not arrive by request: it is the field Secret/,
  );
  assert.match((await rouse(["senders", "pair", "notin"])).stderr, /Did you mean notion/);
  assert.match((await rouse(["senders", "pair"])).stderr, /Name the sender/);
});

test("remove takes out the sender, its mappings and the secret that we wrote; comments stay", async (t) => {
  const text = `{
  "hooks": {
    "enabled": true,
    "token": "${hookToken}",
    "mappings": [
      { "match": { "path": "build" }, "messageTemplate": "x" }, // stays
    ],
  },
}`;
  const { folder, file, rouse } = createConfig(t, text);
  await rouse([
    "senders",
    "add",
    "gitlab",
    "--mapping",
    "pipeline-failed",
    "--mapping",
    "merge-request-opened",
  ]);
  await rouse(["senders", "add", "github"]);
  const removed = await rouse(["senders", "remove", "gitlab", "--yes"]);
  assert.equal(removed.code, 0, removed.stderr);
  assert.match(removed.stdout, /Gone with it: gitlab-pipeline-failed, gitlab-merge-request-opened/);
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok);
  assert.deepEqual(
    loaded.config.hooks.mappings.map(({ match }) => match.path),
    ["build", "github"],
  );
  assert.match(readFileSync(file, "utf8"), /\/\/ stays/);
  assert.ok(!existsSync(join(folder, "secrets", "gitlab")));
  assert.ok(existsSync(join(folder, "secrets", "github")));

  const before = readFileSync(file, "utf8");
  const refused = await rouse(["senders", "remove", "github", "--keep-mappings", "--yes"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /was not changed: .*match\.event: can never match/);
  assert.equal(readFileSync(file, "utf8"), before);

  await rouse(["senders", "remove", "github", "--yes"]);
  await rouse(["senders", "add", "alertmanager"]);
  const kept = await rouse(["senders", "remove", "alertmanager", "--keep-mappings", "--yes", "--json"]);
  assert.deepEqual((json(kept) as { mappings: string[] }).mappings, []);
  const after = loadConfig(file, {});
  assert.ok(after.ok);
  assert.deepEqual(after.config.hooks.senders, []);
  assert.equal(after.config.hooks.mappings.length, 2);
  assert.match((await rouse(["senders", "remove", "github"])).stderr, /There is no sender github/);
});

test("remove asks on a terminal, and needs --yes without one", async (t) => {
  const { rouse, file, env } = createConfig(t, config);
  const before = readFileSync(file, "utf8");
  const unasked = await rouse(["senders", "remove", "github"]);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /--yes/);
  const [no, yes] = [answering("n"), answering("y")];
  const { context } = createTestContext(["github"], { env });
  await assert.rejects(runRemove(context, no.terminal), /Nothing was changed/);
  assert.match(no.shown(), /Remove the sender github\?[^]*these mappings go with[^]*github-1/);
  assert.equal(readFileSync(file, "utf8"), before);
  assert.equal(await runRemove(context, yes.terminal), 0);
  assert.doesNotMatch(readFileSync(file, "utf8"), /github/);
});

/** Until the command has opened its window, and waits. */
async function untilOpen(windows: readonly unknown[]): Promise<void> {
  const { eventually } = await import("../../../test/fakes/clock.ts");
  await eventually(() => windows.length > 0, "the window to open");
}
