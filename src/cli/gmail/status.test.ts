import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import type { MailStatus } from "../../core/mail.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import {
  createConfig,
  createStoredHome,
  gatewayToken,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";

const account = "me@example.com";
const id = `gmail:${account}`;

async function createScene(t: TestContext, gmail: object = {}) {
  const clock = createFakeClock();
  const credentialsFile = "credentials/login.json";
  const home = await createStoredHome(t, clock, {
    gateway: { auth: { token: gatewayToken } },
    hooks: { enabled: true, token: hookToken, gmail: { account, credentialsFile, ...gmail } },
  });
  const file = join(home.folder, credentialsFile);
  mkdirSync(dirname(file), { mode: 0o700 });
  writeFileSync(file, "{}", { mode: 0o600 });
  const noteSync = async (status: MailStatus, error: string | null): Promise<void> => {
    await home.store.claimMailbox({ id, lease: "l", leaseMs: 1000 });
    const end = { cursor: "12345", status: "ok" as const, error: null, notice: null };
    await home.store.commitMail({ id, lease: "l", mails: [], end });
    await home.store.releaseMailbox({ id, lease: "l" });
    if (status !== "ok") await home.store.noteMail({ id, lease: null, status, error, notice: null });
  };
  const state = async (): Promise<Record<string, string>> => {
    const result = await home.rouse(["gmail", "status", "--json"], { clock });
    return json(result) as Record<string, string>;
  };
  const finding = async () => {
    const { checks } = json(await home.rouse(["doctor", "--json"], { clock })) as {
      checks: { check: string; status: string; message: string; fix: string | null }[];
    };
    return checks.find(({ check }) => check === "gmail");
  };
  return { ...home, clock, file, noteSync, state, finding };
}

test("the state before the first sync, after it, and when syncs have stopped", async (t) => {
  const scene = await createScene(t);
  assert.equal((await scene.state())["state"], "new");
  assert.equal((await scene.finding())?.status, "warn");
  await scene.noteSync("ok", null);
  const { state, cursorAt, lastSyncAt, fix } = await scene.state();
  assert.deepEqual(
    [state, cursorAt, lastSyncAt, fix],
    ["ok", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", null],
  );
  assert.equal((await scene.finding())?.status, "ok");
  await scene.clock.advance(3_600_000);
  const late = await scene.state();
  assert.equal(late["state"], "silent");
  assert.match(late["message"] ?? "", /60 min/);
  assert.match((await scene.finding())?.fix ?? "", /rouse start/);
});

test("a fault is shown with its fix; a lost login is a failure", async (t) => {
  const scene = await createScene(t);
  await scene.noteSync(
    "degraded",
    "hints could not be requested: Google refused the request (403 forbidden)",
  );
  const degraded = await scene.state();
  assert.equal(degraded["state"], "degraded");
  assert.match(degraded["fix"] ?? "", /rouse gmail setup/);
  assert.equal((await scene.finding())?.status, "warn");
  await scene.noteSync("needs-reauth", "Google no longer takes the login (invalid_grant)");
  const { code, stdout } = await scene.rouse(["gmail", "status"], { clock: scene.clock });
  assert.equal(code, 1);
  assert.match(stdout, /needs-reauth: mail is no longer read: .*invalid_grant/);
  assert.match(stdout, /what to do: +Log in again: rouse gmail setup --new-login/);
  assert.equal((await scene.finding())?.status, "fail");
});

test("expired hints, and a login file that is missing or readable by others, are shown", async (t) => {
  const topic = "projects/p/topics/t";
  const scene = await createScene(t, { mode: "pull", topic });
  await scene.noteSync("ok", null);
  const shown = async (): Promise<string> =>
    (await scene.rouse(["gmail", "status"], { clock: scene.clock })).stdout;
  assert.match(await shown(), /hints: +not asked for yet/);
  const now = scene.clock.now();
  await scene.store.noteSubscription(id, { lease: null, expiration: now + 7 * 86_400_000, dueInMs: 0 });
  assert.match(await shown(), /active for 7 days more/);
  await scene.store.noteSubscription(id, { lease: null, expiration: now - 1, dueInMs: 0 });
  assert.match(await shown(), /ended; mail is still read/);
  if (process.platform !== "win32") {
    const { chmodSync, rmSync } = await import("node:fs");
    chmodSync(scene.file, 0o644);
    assert.match((await scene.finding())?.fix ?? "", /chmod 600/);
    rmSync(scene.file);
    const { state, message } = await scene.state();
    assert.equal(state, "needs-reauth");
    assert.match(message ?? "", /does not exist/);
  }
});

test("without hooks.gmail the message says how to set it up", async (t) => {
  const { rouse } = createConfig(t);
  for (const verb of ["status", "test", "stop"]) {
    const { code, stderr } = await rouse(["gmail", verb]);
    assert.equal(code, 1);
    assert.match(stderr, /Set it up with: rouse gmail setup/);
  }
  const { code, stderr } = await rouse(["gmail", "statsu"]);
  assert.equal(code, 2);
  assert.match(stderr, /Did you mean status/);
});
