// The config file of a running gateway is edited.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type GatewayProcess, post, until } from "../support/process.ts";
import { agentBody, labFor, token } from "./lab.ts";

const newToken = "another-lab-token-that-is-long-enough";

const statusWith = async (url: string, sent: string): Promise<number> =>
  (await post({ url, hook: "agent", token: sent, body: agentBody({ message: "hello" }) })).status;

const logged = (gateway: GatewayProcess, wanted: { level: string; setting: string }) =>
  until(`${wanted.level} about ${wanted.setting}`, () =>
    gateway.log().find(({ level, setting }) => level === wanted.level && setting === wanted.setting),
  );

suite("the configuration of a running gateway", { concurrency: true }, () => {
  test("a new token works and the old one stops, without a restart", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start();
    assert.equal(await statusWith(gateway.url, token), 202);
    assert.equal(await statusWith(gateway.url, newToken), 401);

    lab.writeSettings({ tokens: [token, newToken] });
    await until("the new token works", async () => (await statusWith(gateway.url, newToken)) === 202, {
      everyMs: 200,
    });
    assert.equal(await statusWith(gateway.url, token), 202);

    lab.writeSettings({ tokens: [newToken] });
    await until("the old token stops", async () => (await statusWith(gateway.url, token)) === 401);
    assert.equal(await statusWith(gateway.url, newToken), 202);
  });

  test("with a broken file the old configuration stays in use, and the log names the setting; once mended, it is taken up", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start();
    lab.writeConfig(JSON.stringify({ hooks: { enabled: true, token: newToken, maxQueued: "many" } }));
    const { message } = await logged(gateway, { level: "error", setting: "hooks.maxQueued" });
    assert.match(message, /number/);
    assert.equal(await statusWith(gateway.url, token), 202);
    assert.equal(await statusWith(gateway.url, newToken), 401);

    lab.writeConfig("{ not even");
    await until(
      "the broken syntax is logged",
      () => gateway.log().filter(({ level }) => level === "error").length > 2,
    );
    assert.equal(await statusWith(gateway.url, token), 202);

    lab.writeSettings({ tokens: [newToken] });
    await until(
      "the mended file is taken up",
      async () => (await statusWith(gateway.url, newToken)) === 202,
      {
        everyMs: 200,
      },
    );
    assert.ok(!gateway.output().includes(newToken), "a token is in the log");
  });

  test("a setting that needs a restart is named, and the others are taken up", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start();
    lab.writeSettings({ leaseSeconds: 20, tokens: [newToken] });
    const { message } = await logged(gateway, { level: "warn", setting: "store.leaseSeconds" });
    assert.match(message, /restart/);
    await until("the new token works", async () => (await statusWith(gateway.url, newToken)) === 202, {
      everyMs: 200,
    });
  });
});
