// `rouse expose` with programs that behave as the tunnel tools do.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestContext } from "../../../test/fixtures/command-line.ts";
import { startTestGateway } from "../../../test/support/gateway.ts";
import { mapping } from "../../../test/support/mapped.ts";
import { systemClock } from "../../core/clock.ts";
import { dispatch } from "../dispatch.ts";
import { type ExposeOverrides, runExpose } from "./expose.ts";

const program = fileURLToPath(new URL("../../../test/fixtures/tunnel-program.ts", import.meta.url));
const secret = "github-secret-that-is-long-enough";

/** Programs of these names in a PATH of their own. */
function installTools(folder: string, modes: Readonly<Record<string, string>>): string {
  const path = join(folder, "bin");
  mkdirSync(path);
  for (const [kind, mode] of Object.entries(modes)) {
    const file = join(path, kind);
    writeFileSync(
      file,
      `#!/bin/sh\nexec '${process.execPath}' '${program}' ${kind} ${mode} '${folder}' "$@"\n`,
    );
    chmodSync(file, 0o755);
  }
  return path;
}

async function start(t: TestContext, modes: Readonly<Record<string, string>>, hooks: object = {}) {
  const gateway = await startTestGateway(t, {
    hooks: {
      senders: { github: { kind: "github", secret } },
      mappings: [mapping("github"), mapping("build")],
      ...hooks,
    },
  });
  const file = join(gateway.folder, "rouse.jsonc");
  const settings = JSON.parse(readFileSync(file, "utf8")) as { gateway: object };
  const { port } = new URL(gateway.url);
  writeFileSync(file, JSON.stringify({ ...settings, gateway: { ...settings.gateway, port: Number(port) } }));
  const path = installTools(gateway.folder, modes);
  const edgeFile = join(gateway.folder, "edge");
  const asEdge: typeof fetch = (url, init) =>
    fetch(
      new Request(url).url.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${readFileSync(edgeFile, "utf8")}`),
      init,
    );
  const expose = (argv: readonly string[], overrides: ExposeOverrides = {}, env: NodeJS.ProcessEnv = {}) => {
    const made = createTestContext([...argv, "--config", file], { env: { PATH: path, ...env } });
    const ended = runExpose(made.context, { fetch: asEdge, ...overrides }).then(
      (code) => ({ code, message: "" }),
      (fault: Error) => ({ code: 1, message: fault.message }),
    );
    return { ...made, ended };
  };
  return { gateway, expose, asEdge, file, path, edgeFile };
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

for (const mode of ["works", "line", "rewrites"])
  test(`a sender is reached through cloudflared (${mode}), and nothing else is`, async (t) => {
    const { gateway, expose, asEdge } = await start(t, { cloudflared: mode });
    const { written, signal, ended } = expose(["github", "build"]);
    await gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives"));
    const base = "https://brave-new-words.trycloudflare.com";
    assert.match(
      written.stdout,
      /github {2}https:\/\/brave-new-words\.trycloudflare\.com\/hooks\/github {2}\(GitHub: paste the secret of hooks\.senders\.github\.secret into the field Secret/,
    );
    assert.match(
      written.stdout,
      /Payload URL: https:\/\/brave-new-words\.trycloudflare\.com\/hooks\/github\./,
    );
    assert.match(written.stderr, /the next start has another name/);
    assert.match(written.stderr, /trustedProxies has no 127\.0\.0\.1/);
    assert.ok(!(written.stdout + written.stderr).includes(secret));

    const body = '{"message":"from outside"}';
    const post = (path: string, headers: Record<string, string> = {}) =>
      asEdge(`${base}${path}`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json", ...headers },
      });
    assert.equal((await post("/hooks/build", { Authorization: `Bearer ${gateway.token}` })).status, 202);
    assert.equal((await post("/hooks/build")).status, 401);
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    assert.notEqual((await post("/hooks/github", { "X-Hub-Signature-256": signature })).status, 404);
    for (const path of ["/hooks/agent", "/hooks/wake", "/hooks/other", "/hooks/github/../agent"])
      assert.equal((await post(path, { Authorization: `Bearer ${gateway.token}` })).status, 404, path);
    for (const path of ["/metrics", "/healthz", "/readyz", "/"])
      assert.equal((await asEdge(`${base}${path}`)).status, 404, path);
    assert.match(written.stdout, /^\d\d:\d\d:\d\d {2}build {2}POST {2}202 {2}\d+ ms$/m);
    assert.match(written.stdout, /build {2}POST {2}401/);
    assert.doesNotMatch(written.stdout, /agent|metrics/);

    const pid = Number(readFileSync(join(gateway.folder, "pid"), "utf8"));
    assert.ok(isAlive(pid));
    signal();
    assert.deepEqual(await ended, { code: 0, message: "" });
    assert.ok(!isAlive(pid));
  });

test("the first tool that is set up is taken; without names, every sender is exposed", async (t) => {
  const { gateway, expose } = await start(t, {
    tailscale: "works",
    ngrok: "no-config",
    cloudflared: "works",
  });
  const { written, signal, ended } = expose([]);
  await gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives"));
  assert.match(written.stdout, /github {2}https:\/\/laptop\.tail1234\.ts\.net\/hooks\/github/);
  assert.doesNotMatch(written.stdout, /build/);
  assert.doesNotMatch(written.stderr, /another name/);
  signal();
  assert.equal((await ended).code, 0);
});

test("a tool that is not logged in is passed over, and told about where it was asked for", async (t) => {
  const { gateway, expose } = await start(t, {
    tailscale: "logged-out",
    ngrok: "no-config",
    cloudflared: "works",
  });
  const { written, signal, ended } = expose([]);
  await gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives"));
  assert.match(written.stdout, /trycloudflare/);
  signal();
  await ended;
  assert.match((await expose(["--with", "tailscale"]).ended).message, /not set up: log in: tailscale up/);
  assert.match((await expose(["--with", "ngrok"]).ended).message, /add-authtoken/);
});

/** The whole command through one tool: its address, a request to the hook through it, its end. */
async function passThrough(
  { gateway, expose, asEdge }: Awaited<ReturnType<typeof start>>,
  address: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { written, signal, ended } = expose(["build"], {}, env);
  const first = await Promise.race([
    ended,
    gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives")),
  ]);
  assert.ok(written.stdout.includes(`${address}/hooks/build`), `${JSON.stringify(first)} ${written.stdout}`);
  const post = (path: string) =>
    asEdge(`${address}${path}`, {
      method: "POST",
      body: '{"message":"from outside"}',
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${gateway.token}` },
    });
  assert.equal((await post("/hooks/build")).status, 202);
  assert.equal((await post("/hooks/agent")).status, 404);
  assert.match(written.stdout, /build {2}POST {2}202/);
  const pid = Number(readFileSync(join(gateway.folder, "pid"), "utf8"));
  assert.ok(isAlive(pid));
  signal();
  assert.deepEqual(await ended, { code: 0, message: "" });
  assert.ok(!isAlive(pid));
  return written.stderr;
}

/** ngrok's API has a fixed port: here it is the one of our program, whatever else runs on this machine. */
function leadToApi(t: TestContext, folder: string): { asked: () => number } {
  const direct = globalThis.fetch;
  let asked = 0;
  t.mock.method(globalThis, "fetch", (async (url, init) => {
    const address = new Request(url).url;
    if (!address.startsWith("http://127.0.0.1:4040/")) return direct(url, init);
    const port = readFileSync(join(folder, "api"), "utf8");
    asked++;
    return direct(address.replace(":4040/", `:${port}/`), init);
  }) satisfies typeof fetch);
  return { asked: () => asked };
}

for (const [mode, means] of [
  ["works", "its log"],
  ["api", "its API"],
  ["taken", "its log, while another ngrok has the port of the API"],
] as const)
  test(`a hook is reached through ngrok, with the address from ${means}`, async (t) => {
    const started = await start(t, { ngrok: mode });
    const { asked } = leadToApi(t, started.gateway.folder);
    const notes = await passThrough(started, "https://brave-words.ngrok-free.app");
    assert.doesNotMatch(notes, /another name/);
    if (mode === "api") assert.ok(asked() > 0);
  });

test("ngrok needs no config file when its token is in NGROK_AUTHTOKEN", async (t) => {
  const started = await start(t, { ngrok: "variable" });
  leadToApi(t, started.gateway.folder);
  const env = { NGROK_AUTHTOKEN: "ngrok-token-of-a-user" };
  await passThrough(started, "https://brave-words.ngrok-free.app", env);
});

test("ngrok without a token says what to do, and a wrong token is not repeated", async (t) => {
  const { expose } = await start(t, { ngrok: "no-token" });
  const { code, message } = await expose([]).ended;
  assert.equal(code, 1);
  assert.match(message, /ngrok ended with exit code 1: .*requires a verified account and authtoken/);
  assert.match(
    message,
    /your-authtoken.*ERR_NGROK_4018.*\nIs it set up\? .*ngrok config add-authtoken TOKEN/,
  );
  const wrong = await start(t, { ngrok: "wrong-token" });
  const failed = await wrong.expose(["--with", "ngrok"]).ended;
  assert.match(failed.message, /ngrok ended with exit code 1: .*Your authtoken: \[hidden\].*ERR_NGROK_105/);
  assert.ok(!failed.message.includes("ngrok-token-of-a-user"));
});

for (const kind of ["zrok", "zrok2"])
  test(`a hook is reached through zrok (${kind}), by no agent of zrok`, async (t) => {
    const domain = kind === "zrok" ? "share.zrok.io" : "shares.zrok.io";
    const notes = await passThrough(await start(t, { [kind]: "works" }), `https://k1q2w3e4r5t6.${domain}`);
    assert.match(notes, /the next start has another name/);
  });

test("zrok on a machine that is not enabled is not started", async (t) => {
  const { expose, edgeFile } = await start(t, { zrok2: "not-enabled" });
  const { code, message } = await expose(["--with", "zrok"]).ended;
  assert.equal(code, 1);
  assert.match(message, /^zrok is installed, but not set up: .*zrok2 enable TOKEN/);
  assert.match(
    (await expose([]).ended).message,
    /ngrok is not installed.*\n.*\n.*zrok is installed, but not set up/,
  );
  assert.ok(!existsSync(edgeFile));
});

test("without a tool, each is named with where to get it", async (t) => {
  const { expose } = await start(t, {});
  const { code, message } = await expose([]).ended;
  assert.equal(code, 1);
  for (const name of ["tailscale", "ngrok", "cloudflared", "zrok"])
    assert.match(message, new RegExp(`${name} is not installed: https://`));
  assert.match(
    (await expose(["--with", "zrok"]).ended).message,
    /^zrok is not installed: https:\/\/docs\.zrok\.io/,
  );
  assert.match((await expose(["--with", "smee"]).ended).message, /no tool smee.*tailscale, ngrok/);
});

test("a tool that dies at once is an error with its last words", async (t) => {
  const { expose } = await start(t, { cloudflared: "dies" });
  const { code, message } = await expose([]).ended;
  assert.equal(code, 1);
  assert.match(message, /cloudflared ended with exit code 7: ERR failed to reach the edge/);
});

for (const mode of ["silent", "garbage"])
  test(`a tool that gives no address (${mode}) is given up after 30 seconds, and ended`, async (t) => {
    const { gateway, expose, edgeFile } = await start(t, { cloudflared: mode });
    let skippedMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs };
    const { ended } = expose([], { clock });
    await gateway.waitFor("the tool", async () => existsSync(edgeFile));
    await gateway.waitFor("its pid", async () => existsSync(join(gateway.folder, "pid")));
    skippedMs = 30_000;
    const { code, message } = await ended;
    assert.equal(code, 1);
    assert.match(message, /cloudflared gave no public address within 30 seconds/);
    assert.ok(!isAlive(Number(readFileSync(join(gateway.folder, "pid"), "utf8"))));
  });

test("an address that leads elsewhere is given up", async (t) => {
  const { gateway, expose, edgeFile } = await start(t, { cloudflared: "works" });
  let skippedMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs };
  let asked = 0;
  const elsewhere: typeof fetch = async () => {
    asked++;
    return new Response("a page of somebody else");
  };
  const { ended } = expose([], { clock, fetch: elsewhere });
  await gateway.waitFor("the first look", async () => existsSync(edgeFile) && asked > 0);
  skippedMs = 60_000;
  assert.match((await ended).message, /does not lead here/);
});

test("when the tunnel breaks, the command says so and ends with 1", async (t) => {
  const { gateway, expose } = await start(t, { cloudflared: "breaks" });
  const { written, ended } = expose([]);
  await gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives"));
  process.kill(Number(readFileSync(join(gateway.folder, "pid"), "utf8")), "SIGUSR2");
  const { code, message } = await ended;
  assert.equal(code, 1);
  assert.match(
    message,
    /The tunnel is gone; nothing from outside arrives\. cloudflared ended with exit code 3/,
  );
});

test("a stop before the tunnel is up ends the tool, too", async (t) => {
  const { gateway, expose } = await start(t, { cloudflared: "silent" });
  const { signal, ended } = expose([]);
  await gateway.waitFor("the tool", async () => existsSync(join(gateway.folder, "pid")));
  signal();
  assert.equal((await ended).code, 0);
  assert.ok(!isAlive(Number(readFileSync(join(gateway.folder, "pid"), "utf8"))));
});

test("names that cannot be exposed, and senders that sign their address", async (t) => {
  const twilio = {
    kind: "twilio",
    secret: "0123456789abcdef0123456789abcdef",
    publicUrl: "https://old.example/hooks/sms",
  };
  const { gateway, expose } = await start(
    t,
    { cloudflared: "works" },
    { senders: { sms: twilio }, mappings: [mapping("sms"), mapping("build")] },
  );
  assert.match((await expose(["agent"]).ended).message, /agent is never exposed/);
  assert.match(
    (await expose(["gone"]).ended).message,
    /no sender or mapped hook gone\. Those there are: sms, build/,
  );
  const { written, signal, ended } = expose(["sms"]);
  await gateway.waitFor("the tunnel", async () => written.stderr.includes("What arrives"));
  assert.match(
    written.stderr,
    /Twilio signs the address it calls: set hooks\.senders\.sms\.publicUrl to https:\/\/brave-new-words\.trycloudflare\.com\/hooks\/sms/,
  );
  signal();
  await ended;
});

test("without a running gateway, and without a sender, nothing is opened", async (t) => {
  const { file, path, expose, edgeFile } = await start(t, { cloudflared: "works" }, { senders: {} });
  assert.match((await expose([]).ended).message, /no sender in hooks\.senders/);
  const settings = JSON.parse(readFileSync(file, "utf8")) as { gateway: object };
  const port = await unusedPort();
  writeFileSync(file, JSON.stringify({ ...settings, gateway: { ...settings.gateway, port } }));
  const { context, written } = createTestContext(["expose", "build", "--config", file], {
    env: { PATH: path },
  });
  assert.equal(await dispatch(context), 1);
  assert.match(written.stderr, /not running: nothing listens.*rouse start/);
  assert.ok(!existsSync(edgeFile));
});
