// The store goes away under a running gateway and comes back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { suite, test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { startPostgres } from "../support/postgres.ts";
import { post, type Reply, until } from "../support/process.ts";
import { agentBody, runStarted, ended, labFor, sendAgent, token } from "./lab.ts";

const send = (url: string, message: string): Promise<Reply> =>
  post({ url, hook: "agent", token, body: agentBody({ message }) });

const readyStatus = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

function assertUnavailable({ status, body, retryAfter }: Reply): void {
  assert.equal(status, 503);
  assert.equal(body["code"], "store-unavailable");
  assert.match(retryAfter ?? "", /^[1-9]\d*$/);
}

suite("a store that goes away", { concurrency: true }, () => {
  test("PostgreSQL stops and starts again: 503, not ready, then everything goes on", async (context) => {
    const server = await startPostgres();
    context.after(() => server.stop());
    const lab = labFor(context, { databaseUrl: server.url, settings: { leaseSeconds: 1, maxAttempts: 10 } });
    const gateway = await lab.start();
    const before = await sendAgent(gateway.url, { message: "before" });
    const during = await sendAgent(gateway.url, { message: "[hold go] over it", sessionKey: "lab:away" });
    const after = await sendAgent(gateway.url, { message: "after it", sessionKey: "lab:away" });
    await runStarted(lab, during);
    assert.equal(await readyStatus(gateway.url), 200);

    await server.pause();
    assertUnavailable(await send(gateway.url, "refused"));
    await until("not ready", async () => (await readyStatus(gateway.url)) === 503);
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    lab.release("go");
    assertUnavailable(await send(gateway.url, "refused"));

    await server.resume();
    await until("ready again", async () => (await readyStatus(gateway.url)) === 200);
    const late = await until("accepting again", async () => {
      const { status, body } = await send(gateway.url, "late");
      return status === 202 && String(body["runId"]);
    });
    const store = await lab.openStore();
    for (const runId of [before, during, after, late])
      assert.equal((await ended(store, runId)).status, "succeeded");
    const messages = (await store.listRuns({ kind: "hook", limit: null })).map(({ request }) =>
      plainText(request.message),
    );
    assert.ok(!messages.includes("refused"), "a refused request is in the store");
    assert.equal((await gateway.stop()).code, 0);
  });

  // For SQLite a file that may not grow is a full disk. The limit also sends a signal, which would end Node unhandled.
  const fullDisk = "ulimit -S -f 2048";
  const hearSignal = "--import \"data:text/javascript,process.on('SIGXFSZ',()=>{})\"";

  test("the disk is full: 503, not ready; with space again, everything accepted is there and goes on", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start({
      limit: `export NODE_OPTIONS="${hearSignal.replaceAll('"', '\\"')}"; ${fullDisk}`,
    });
    const held = await sendAgent(gateway.url, { message: "[hold go] when it fills" });
    await runStarted(lab, held);

    const accepted: string[] = [held];
    const fill = async (size: number): Promise<Reply> => {
      for (;;) {
        const reply = await send(gateway.url, "x".repeat(size));
        if (reply.status !== 202) return reply;
        accepted.push(String(reply.body["runId"]));
        assert.ok(accepted.length < 5000, "the disk never filled");
      }
    };
    assertUnavailable(await fill(100_000));
    await until("not ready", async () => {
      assertUnavailable(await fill(10));
      return (await readyStatus(gateway.url)) === 503;
    });
    lab.release("go");

    const lifted = spawnSync("prlimit", ["--pid", String(gateway.pid), "--fsize=unlimited"]);
    let { url } = gateway;
    if (lifted.status !== 0) {
      // Without this tool, space comes back with the next start.
      await gateway.kill();
      ({ url } = await lab.start());
    }
    await until("ready again", async () => (await readyStatus(url)) === 200);
    accepted.push(await sendAgent(url, { message: "with space again" }));
    const store = await lab.openStore();
    for (const runId of accepted) assert.equal((await ended(store, runId)).status, "succeeded");
    assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, accepted.length);
  });
});
