// With real processes: the setup, a browser, the gateway, the first mail, a login that ends and is renewed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import { startGoogle } from "../fakes/google.ts";
import { makeFolder } from "../support/folder.ts";
import { program, startGatewayProcess, until } from "../support/process.ts";

const account = "me@example.com";

type Ended = { code: number; stdout: string; stderr: string };

async function createHouse(t: TestContext) {
  const folder = makeFolder("gmail");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o700);
  const google = await startGoogle({ account });
  t.after(() => google.stop());
  const config = join(folder, "rouse.jsonc");
  const { oauth, gmail, pubsub } = google.endpoints;
  const hooks = {
    enabled: true,
    token: "hook-token-that-is-long-enough",
    gmail: { account, pollSeconds: 1, endpoints: { oauth, gmail, pubsub } },
  };
  const gateway = { auth: { token: "gateway-token-that-is-long-enough" } };
  writeFileSync(config, JSON.stringify({ gateway, hooks }, null, 2), { mode: 0o600 });
  const { client } = google.accounts;
  const clientFile = join(folder, "client.json");
  const installed = { client_id: client.id, client_secret: client.secret, project_id: "fake-project" };
  writeFileSync(clientFile, JSON.stringify({ installed }));

  const asked = join(folder, "asked");
  const programs = join(folder, "programs");
  mkdirSync(programs);
  // The browser of this test writes the address to a file; the test then clicks.
  const browser = `#!/bin/sh\nprintf %s "$1" > '${asked}.part' && mv '${asked}.part' '${asked}'\n`;
  writeFileSync(join(programs, "xdg-open"), browser, { mode: 0o755 });
  const env = { ROUSE_HOME: folder, HOME: folder, DISPLAY: ":0", PATH: `${programs}:${process.env["PATH"]}` };
  const printed: string[] = [];

  const rouse = (...argv: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      // Its input stays open, as a service manager may leave it.
      execFile(process.execPath, [program, ...argv], { env, timeout: 60_000 }, (fault, stdout, stderr) => {
        printed.push(stdout, stderr);
        resolve({ code: fault ? Number(fault.code ?? 1) : 0, stdout, stderr });
      });
    });

  async function click(): Promise<void> {
    await until("the browser", () => existsSync(asked));
    const query = new URL(readFileSync(asked, "utf8")).searchParams;
    renameSync(asked, `${asked}.done`);
    const redirectUri = query.get("redirect_uri") ?? "";
    const code = google.accounts.consent(query.get("code_challenge") ?? "", redirectUri, {
      scope: query.get("scope") ?? "",
    });
    const back = new URLSearchParams({ state: query.get("state") ?? "", code });
    assert.equal((await fetch(`${redirectUri}/?${back.toString()}`)).status, 200);
  }

  return { folder, google, config, clientFile, rouse, click, printed };
}

test(
  "from an empty home to the first mail, and again after a lost login",
  { skip: process.platform === "win32" },
  async (t) => {
    const { folder, google, config, clientFile, rouse, click, printed } = await createHouse(t);
    const [first] = await Promise.all([rouse("gmail", "setup", "--client", clientFile), click()]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /New mail of me@example\.com becomes runs/);

    const early = google.gmail.deliver({ subject: "Before any gateway ran" });
    const gateway = await startGatewayProcess({ config });
    t.after(() => gateway.kill());
    const store = await openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock });
    t.after(() => store.close());
    const runOf = (mailId: string) =>
      until(`the run of ${mailId}`, async () => {
        const runs = await store.listRuns({ limit: null, kind: "hook" });
        return runs.find(
          ({ sessionKey, endedAt }) => sessionKey === `hook:gmail:${mailId}` && endedAt !== null,
        );
      });
    assert.match((await runOf(early)).reply ?? "", /Before any gateway ran/);

    const tried = await rouse("gmail", "test", "--wait", "--url", gateway.url);
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, /A test of the mail watch/);
    const state = async () =>
      JSON.parse((await rouse("gmail", "status", "--json")).stdout) as { state: string };
    assert.equal((await state()).state, "ok");

    google.accounts.state.revoked = true;
    google.accounts.endTokens();
    await until("the lost login", async () => (await state()).state === "needs-reauth");
    const lost = await rouse("gmail", "status");
    assert.equal(lost.code, 1);
    assert.match(lost.stdout, /rouse gmail setup --new-login/);
    const meanwhile = google.gmail.deliver({ subject: "While the login was lost" });
    const [again] = await Promise.all([rouse("gmail", "setup"), click()]);
    assert.equal(again.code, 0, again.stderr);
    assert.match((await runOf(meanwhile)).reply ?? "", /While the login was lost/);
    await until("a good state", async () => (await state()).state === "ok");

    const [pulling] = await Promise.all([rouse("gmail", "setup", "--mode", "pull"), click()]);
    assert.equal(pulling.code, 0, pulling.stderr);
    await until("a pull", () => google.count(":pull") > 0);
    const hinted = google.gmail.deliver({ subject: "By a hint" });
    assert.match((await runOf(hinted)).reply ?? "", /By a hint/, "intervals are five minutes now");

    const writes = google.calls.filter(
      ({ method, path }) => /^(?:PUT|PATCH)$/.test(method) || path.endsWith("/watch"),
    );
    const unchanged = await rouse("gmail", "setup");
    assert.match(unchanged.stdout, /nothing was changed/);
    assert.deepEqual(
      google.calls.filter(({ method, path }) => /^(?:PUT|PATCH)$/.test(method) || path.endsWith("/watch")),
      writes,
    );

    await gateway.stop();
    const all = [...printed, gateway.output()].join("\n");
    for (const secret of google.accounts.secrets)
      assert.ok(!all.includes(secret), "a secret was printed or logged");
  },
);
