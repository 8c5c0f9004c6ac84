import assert from "node:assert/strict";
import test from "node:test";
import { cloudflared, ngrok, publicAddress, tailscale, zrok } from "./tools.ts";

const local = { port: 4711, hooksPath: "/hooks", apiPort: 4712 };

test("each tool is started with addresses of this machine only", () => {
  assert.deepEqual(tailscale.args(local), [
    "funnel",
    "--yes",
    "--set-path=/hooks",
    "http://127.0.0.1:4711/hooks",
  ]);
  assert.deepEqual(ngrok.args(local), ["http", "127.0.0.1:4711", "--log", "stdout", "--log-format", "json"]);
  assert.deepEqual(cloudflared.args(local).slice(0, 5), [
    "tunnel",
    "--url",
    "http://127.0.0.1:4711",
    "--metrics",
    "127.0.0.1:4712",
  ]);
  assert.deepEqual(zrok.args(local), [
    "share",
    "public",
    "http://127.0.0.1:4711",
    "--headless",
    "--force-local",
  ]);
});

test("only a plain https address with a name is an address", () => {
  assert.equal(publicAddress("https://a.example/x?y"), "https://a.example");
  for (const bad of [
    "http://a.example",
    "https://u:p@a.example",
    "https://localhost",
    "a.example",
    "",
    5,
    null,
    `https://a.${"x".repeat(400)}`,
  ])
    assert.equal(publicAddress(bad), null, String(bad));
});

test("ngrok's address is that of the tunnel to our port, not of another ngrok", () => {
  const { api } = ngrok;
  assert.ok(api && "url" in api);
  const tunnel = (port: number, name: string) => ({
    public_url: `https://${name}.ngrok.app`,
    config: { addr: `http://127.0.0.1:${port}` },
  });
  assert.equal(
    api.read({ tunnels: [tunnel(14711, "no"), tunnel(4711, "ours")] }, local),
    "https://ours.ngrok.app",
  );
  for (const bad of [{ tunnels: [tunnel(8080, "other")] }, { tunnels: "x" }, {}, null, 7])
    assert.equal(api.read(bad, local), null);
  assert.equal(
    ngrok.readLine('{"msg":"started tunnel","url":"https://ours.ngrok.app"}', ""),
    "https://ours.ngrok.app",
  );
  for (const line of ['{"msg":"update available","url":"https://ngrok.com"}', "https://ngrok.com", "{"])
    assert.equal(ngrok.readLine(line, ""), null);
});

test("cloudflared's and tailscale's addresses have their own domains, and nothing else counts", () => {
  assert.equal(
    cloudflared.readLine('{"message":"|  https://brave-new-words.trycloudflare.com  |"}', ""),
    "https://brave-new-words.trycloudflare.com",
  );
  for (const line of [
    "see https://developers.cloudflare.com/x",
    "https://evil.example/.trycloudflare.com",
    "https://a.trycloudflare.com.evil.example",
  ])
    assert.equal(cloudflared.readLine(line, ""), null, line);
  assert.equal(
    tailscale.readLine("https://laptop.tail1234.ts.net/hooks", ""),
    "https://laptop.tail1234.ts.net",
  );
  assert.equal(tailscale.readLine("visit https://login.tailscale.com/f/funnel?node=x", ""), null);
});

test("zrok's address is what it announces, and no other address of its log", () => {
  const said = "access your zrok share at the following endpoints:";
  assert.equal(zrok.readLine(" https://a1.share.zrok.io", `INFO ${said}`), "https://a1.share.zrok.io");
  assert.equal(zrok.readLine(" a1.shares.zrok.io", said), "https://a1.shares.zrok.io");
  for (const name of ["a1.shares.zrok.io", "https://a1.shares.zrok.io"])
    assert.equal(
      zrok.readLine(JSON.stringify({ msg: `${said}\n ${name}` }), ""),
      "https://a1.shares.zrok.io",
    );
  for (const line of ["using https://api.zrok.io", said, `{"msg":"${said}"}`, "a1.shares.zrok.io"])
    assert.equal(zrok.readLine(line, ""), null, line);
  for (const line of [" http://a1.share.zrok.io", " user:pw@a1.share.zrok.io", " localhost", " \u0000"])
    assert.equal(zrok.readLine(line, said), null, line);
});
