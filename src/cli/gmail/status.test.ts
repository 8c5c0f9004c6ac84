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

async function createWatched(t: TestContext, gmail: object = {}) {
  const clock = createFakeClock();
  const credentialsFile = "credentials/login.json";
  const home = await createStoredHome(t, clock, {
    gateway: { auth: { token: gatewayToken } },
    hooks: { enabled: true, token: hookToken, gmail: { account, credentialsFile, ...gmail } },
  });
  const file = join(home.folder, credentialsFile);
  mkdirSync(dirname(file), { mode: 0o700 });
  writeFileSync(file, "{}", { mode: 0o600 });
  const look = async (status: MailStatus, error: string | null): Promise<void> => {
    await home.store.claimMailbox({ id, lease: "l", leaseMs: 1000 });
    const end = { cursor: "12345", status: "ok" as const, error: null, notice: null };
    await home.store.commitMail({ id, lease: "l", mails: [], end });
    await home.store.releaseMailbox({ id, lease: "l" });
    if (status !== "ok") await home.store.noteMail({ id, status, error, notice: null });
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
  return { ...home, clock, file, look, state, finding };
}

test("the state before the first sync, after it, and when syncs have stopped", async (t) => {
  const watched = await createWatched(t);
  assert.equal((await watched.state())["state"], "new");
  assert.equal((await watched.finding())?.status, "warn");
  await watched.look("ok", null);
  const { state, cursorAt, lastSyncAt, fix } = await watched.state();
  assert.deepEqual(
    [state, cursorAt, lastSyncAt, fix],
    ["ok", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", null],
  );
  assert.equal((await watched.finding())?.status, "ok");
  await watched.clock.advance(3_600_000);
  const late = await watched.state();
  assert.equal(late["state"], "silent");
  assert.match(late["message"] ?? "", /60 min/);
  assert.match((await watched.finding())?.fix ?? "", /rouse start/);
});

test("a fault is named with its fix; a lost login is a failure", async (t) => {
  const watched = await createWatched(t);
  await watched.look("degraded", "hints could not be requested: Google refused the request (403 forbidden)");
  const degraded = await watched.state();
  assert.equal(degraded["state"], "degraded");
  assert.match(degraded["fix"] ?? "", /rouse gmail setup/);
  assert.equal((await watched.finding())?.status, "warn");
  await watched.look("needs-reauth", "Google no longer takes the login (invalid_grant)");
  const { code, stdout } = await watched.rouse(["gmail", "status"], { clock: watched.clock });
  assert.equal(code, 1);
  assert.match(stdout, /needs-reauth: mail is no longer read: .*invalid_grant/);
  assert.match(stdout, /what to do: +Log in again: rouse gmail setup --new-login/);
  assert.equal((await watched.finding())?.status, "fail");
});

test("the end of the hints is shown, and a login file that others can read or that is missing", async (t) => {
  const topic = "projects/p/topics/t";
  const watched = await createWatched(t, { mode: "pull", topic });
  await watched.look("ok", null);
  const shown = async (): Promise<string> =>
    (await watched.rouse(["gmail", "status"], { clock: watched.clock })).stdout;
  assert.match(await shown(), /hints: +not asked for yet/);
  const now = watched.clock.now();
  await watched.store.noteSubscription(id, { expiration: now + 7 * 86_400_000, dueAt: now });
  assert.match(await shown(), /active for 7 days more/);
  await watched.store.noteSubscription(id, { expiration: now - 1, dueAt: now });
  assert.match(await shown(), /ended; mail is still read/);
  if (process.platform !== "win32") {
    const { chmodSync, rmSync } = await import("node:fs");
    chmodSync(watched.file, 0o644);
    assert.match((await watched.finding())?.fix ?? "", /chmod 600/);
    rmSync(watched.file);
    const { state, message } = await watched.state();
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
