import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import test from "node:test";
import { systemClock } from "../../core/clock.ts";
import { openSqliteFile } from "../../store/sqlite/file.ts";
import { eventually } from "../../../test/fakes/clock.ts";
import { account, createLab } from "../../../test/fixtures/gmail-account.ts";
import { browserOpener } from "../terminal/person.ts";

test("the address has the whole request, and a callback with another state is refused", async (t) => {
  const lab = await createLab(t);
  let asked = "";
  const openBrowser = async (url: string): Promise<void> => {
    asked = url;
    const back = new URL(lab.consent(url, account));
    const strange = new URL(back);
    strange.searchParams.set("state", "another");
    strange.searchParams.set("code", "not-ours");
    assert.equal((await fetch(strange)).status, 404);
    assert.equal((await fetch(back, { method: "POST" })).status, 404);
    const page = await fetch(back);
    assert.equal(page.status, 200);
    assert.ok(!(await page.text()).includes(back.searchParams.get("code") ?? "?"));
  };
  const argv = ["--account", account, "--client", lab.clientFile];
  const { code, stderr } = await lab.setup(argv, { openBrowser: (url) => void openBrowser(url) });
  assert.equal(code, 0, stderr);
  assert.ok(stderr.includes(asked), "it can be opened on another machine");
  const url = new URL(asked);
  const query = Object.fromEntries(url.searchParams);
  assert.equal(url.origin + url.pathname, "https://accounts.google.com/o/oauth2/v2/auth");
  assert.match(query["redirect_uri"] ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(query["code_challenge"] ?? "", /^[\w-]{43}$/);
  assert.deepEqual(
    [
      query["code_challenge_method"],
      query["access_type"],
      query["prompt"],
      query["login_hint"],
      query["response_type"],
    ],
    ["S256", "offline", "consent", account, "code"],
  );
  assert.equal(query["scope"], "https://www.googleapis.com/auth/gmail.readonly");
  await assert.rejects(fetch(query["redirect_uri"] ?? ""), "the server is gone");
  lab.assertNoSecrets();
});

/** Reads the printed address, and pastes the final address of the browser. */
async function pasteBack(
  lab: Awaited<ReturnType<typeof createLab>>,
  answerTo: (url: string) => string,
  isInteractive = false,
) {
  const input = new PassThrough();
  const argv = ["--account", account, "--client", lab.clientFile, "--no-browser"];
  const ended = lab.setup(argv, {
    input,
    isInteractive,
    openBrowser: () => assert.fail("no browser"),
  });
  void ended.catch(() => {});
  let url = "";
  await eventually(() => {
    url = /https:\/\/accounts\.google\.com\S+/.exec(lab.printedNow())?.[0] ?? "";
    return url !== "";
  });
  input.write(isInteractive ? `${answerTo(url)}\r` : `\n${answerTo(url)}\n`);
  return ended;
}

test("the final address can be pasted where no browser reaches this machine", async (t) => {
  const lab = await createLab(t);
  const { code, stderr } = await pasteBack(lab, (url) => lab.consent(url, account));
  assert.equal(code, 0, stderr);
  assert.ok(existsSync(lab.credentialsFile));
  lab.assertNoSecrets();
});

test("the final address can be pasted into the question on a terminal", async (t) => {
  const lab = await createLab(t);
  const { code, stderr } = await pasteBack(lab, (url) => lab.consent(url, account), true);
  assert.equal(code, 0, stderr);
  assert.ok(existsSync(lab.credentialsFile));
  lab.assertNoSecrets();
});

test("a pasted address must belong to this login and have a code", async (t) => {
  const lab = await createLab(t);
  const state = (url: string): string => new URL(url).searchParams.get("state") ?? "";
  const wrong: [(url: string) => string, RegExp][] = [
    [() => "http://127.0.0.1:1/?state=other&code=x", /state is another/],
    [() => "no address", /not an address/],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}`, /no code in it/],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}&error=access_denied`, /access_denied.*test users/s],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}&error=admin_policy_enforced`, /administrator/],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}&error=org_internal`, /organisation/],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}&error=%1b[31m`, /without a name/],
    [(url) => `http://127.0.0.1:1/?state=${state(url)}&code=never-given`, /invalid_grant/],
  ];
  for (const [answer, words] of wrong) await assert.rejects(pasteBack(lab, answer), words);
  assert.ok(!existsSync(lab.credentialsFile));
});

test("a login of another account, or with too few rights, is refused", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--client", lab.clientFile];
  const by = (who: string, scope?: string) => ({
    openBrowser: (url: string) => void fetch(lab.consent(url, who, scope)),
  });
  await assert.rejects(
    lab.setup(argv, by("else@example.com")),
    /is of else@example\.com, not of me@example\.com/,
  );
  await assert.rejects(lab.setup(argv, by(account, "openid")), /gmail\.readonly is missing/);
  assert.ok(!existsSync(lab.credentialsFile));
  assert.ok(!lab.config().includes("gmail"));
});

test("an ended login is renewed, also when another account is given", async (t) => {
  const lab = await createLab(t);
  const argv = ["--account", account, "--client", lab.clientFile];
  await lab.setup(argv);
  const before = readFileSync(lab.credentialsFile, "utf8");
  lab.google.accounts.logins.clear();
  const store = await openSqliteFile({ path: join(lab.folder, "rouse.db"), clock: systemClock });
  t.after(() => store.close());
  await store.noteMail({
    id: `gmail:${account}`,
    lease: null,
    status: "needs-reauth",
    error: "invalid_grant",
    notice: null,
  });
  const { code, stdout, stderr } = await lab.setup([]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /made +login/);
  assert.match(stdout, /changed +credentials/);
  assert.match(stdout, /was there already +config/);
  assert.notEqual(readFileSync(lab.credentialsFile, "utf8"), before);
  assert.equal((await store.listMailAccounts())[0]?.status, "ok");
  const newLogin = await lab.setup(["--new-login"]);
  assert.match(newLogin.stdout, /made +login/);
  assert.equal(lab.google.accounts.logins.size, 2);
  lab.assertNoSecrets();
});

test("a mode that needs more rights asks for them, without the client's file", async (t) => {
  const lab = await createLab(t);
  await lab.setup(["--account", account, "--client", lab.clientFile]);
  const { code, stdout, stderr } = await lab.setup(["--mode", "pull"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /made +login/);
  assert.match(stdout, /made +topic: projects\/fake-project\/topics\/rouse-gmail/);
});

test(
  "a credentials file that others can read is closed",
  { skip: process.platform === "win32" },
  async (t) => {
    const lab = await createLab(t);
    await lab.setup(["--account", account, "--client", lab.clientFile]);
    chmodSync(lab.credentialsFile, 0o644);
    const { stdout } = await lab.setup([]);
    assert.match(stdout, /changed +credentials/);
  },
);

test("a browser is opened only on a local desktop", () => {
  assert.equal(browserOpener("linux", {}), null);
  assert.equal(browserOpener("linux", { DISPLAY: ":0", SSH_CONNECTION: "1 2 3 4" }), null);
  assert.ok(browserOpener("linux", { WAYLAND_DISPLAY: "wayland-0" }));
  assert.ok(browserOpener("darwin", {}));
});

test("files that are not Google's are refused with a reason", async (t) => {
  const lab = await createLab(t);
  const wrong: [string, unknown, RegExp][] = [
    ["--client", "not json", /not JSON/],
    ["--client", [], /one JSON object/],
    ["--client", { web: { client_id: "x" } }, /Web application.*Desktop app/s],
    ["--client", { installed: { client_id: "x" } }, /no client_secret/],
    ["--client", { type: "service_account" }, /--service-account FILE/],
    ["--client", { other: true }, /not an OAuth client/],
    ["--service-account", { installed: {} }, /--client FILE/],
    [
      "--service-account",
      { type: "service_account", client_email: "a@b", private_key: "x" },
      /cannot be read/,
    ],
    ["--service-account", { type: "other" }, /not the key of a service account/],
  ];
  const file = join(lab.folder, "given.json");
  for (const [flag, content, words] of wrong) {
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    await assert.rejects(lab.setup(["--account", account, flag, file]), words);
  }
  await assert.rejects(lab.setup(["--account", account, "--client", "/nowhere"]), /ENOENT/);
  const both = [
    "--account",
    account,
    "--client",
    lab.clientFile,
    "--service-account",
    lab.serviceAccountFile,
  ];
  await assert.rejects(lab.setup(both), /two ways to log in/);
});
