// SIGTERM: the runs that a stop finishes, those it releases, and the processes it ends.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { suite, test } from "node:test";
import { isAlive, post, until } from "../support/process.ts";
import { agentBody, runStarted, ended, labFor, sendAgent, token } from "./lab.ts";

/** The agent's whole process group. Zombies count until they are reaped. */
const groupGone = (attempt: string) =>
  until(`the processes of ${attempt} are gone`, () => !isAlive(-Number(attempt.split("/")[1])), {
    withinMs: 10_000,
  });

const refusesConnections = (url: string) =>
  until("new connections are refused", () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );

suite("stopping", { concurrency: true }, () => {
  test("a request whose body is still coming is finished and stored; later ones are refused", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start();
    const body = agentBody({ message: "late" });
    const responded = Promise.withResolvers<{ status: number; text: string }>();
    const late = request(
      `${gateway.url}/hooks/agent`,
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          expect: "100-continue",
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => responded.resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    late.on("error", responded.reject);
    // 100 Continue has come, so the request has passed the checks of its token and its name.
    await new Promise<void>((resolve) => {
      late.once("continue", resolve);
      late.flushHeaders();
    });
    gateway.signal("SIGTERM");
    await refusesConnections(gateway.url);
    late.end(body);
    const { status, text } = await responded.promise;
    assert.equal(status, 202);
    assert.deepEqual(await gateway.exited, { code: 0, signal: null });

    const { runId } = JSON.parse(text) as { runId: string };
    const store = await lab.openStore();
    assert.ok(await store.findRun(runId));
    await lab.start();
    assert.equal((await ended(store, runId)).status, "succeeded");
  });

  test("a running agent may finish within drainSeconds, and waiting runs are kept for the next start", async (context) => {
    const lab = labFor(context, { settings: { drainSeconds: 60, maxConcurrent: 1 } });
    const gateway = await lab.start();
    const running = await sendAgent(gateway.url, { message: "[hold go] first" });
    const waiting = await sendAgent(gateway.url, { message: "second" });
    await runStarted(lab, running);
    gateway.signal("SIGTERM");
    await refusesConnections(gateway.url);
    lab.release("go");
    assert.deepEqual(await gateway.exited, { code: 0, signal: null });

    const store = await lab.openStore();
    const [first, second] = [await store.findRun(running), await store.findRun(waiting)];
    assert.equal(first?.status, "succeeded");
    assert.equal(first.attempts, 1);
    assert.equal(second?.status, "queued");
    assert.equal(second.attempts, 0);
    await lab.start();
    assert.equal((await ended(store, waiting)).status, "succeeded");
  });

  test("a run that is not finished by then is released without costing an attempt, its processes are ended, and it runs again", async (context) => {
    const lab = labFor(context, { settings: { drainSeconds: 0.2, maxAttempts: 1 } });
    const gateway = await lab.start();
    const runId = await sendAgent(gateway.url, { message: "[hold go] stubborn", sessionKey: "lab:stop" });
    const next = await sendAgent(gateway.url, { message: "after it", sessionKey: "lab:stop" });
    const first = await runStarted(lab, runId);
    assert.deepEqual(await gateway.stop(), { code: 0, signal: null });
    await groupGone(first.attempt);

    const store = await lab.openStore();
    const given = await store.findRun(runId);
    assert.equal(given?.status, "queued");
    assert.equal(given.attempts, 0);
    lab.release("go");
    await lab.start();
    const run = await ended(store, runId);
    assert.equal(run.status, "succeeded");
    assert.equal(run.attempts, 1);
    assert.equal((await ended(store, next)).status, "succeeded");
    const starts = lab.journal().filter(({ kind }) => kind === "start");
    assert.deepEqual(
      starts.map((note) => note.runId),
      [runId, runId, next],
    );
  });

  test("a stop ends transforms that never end, after drainSeconds, and a kill does so, too", async (context) => {
    const transform = { match: { path: "loop" }, messageTemplate: "x", transform: { module: "loop.mjs" } };
    const lab = labFor(context, {
      settings: { drainSeconds: 1, hooks: { mappings: [transform], transformTimeoutSeconds: 600 } },
    });
    const noted = join(lab.folder, "transform-pid");
    mkdirSync(join(lab.folder, "transforms"));
    const text = `import { writeFileSync } from "node:fs";
      export default () => { writeFileSync(${JSON.stringify(noted)}, String(process.pid)); for (;;) Array(40).fill(0); };`;
    writeFileSync(join(lab.folder, "transforms", "loop.mjs"), text);
    const loop = async () => {
      rmSync(noted, { force: true });
      const gateway = await lab.start();
      const response = post({ url: gateway.url, hook: "loop", token, body: "{}" }).catch(() => null);
      await until("the transform to run", () => existsSync(noted) && readFileSync(noted, "utf8") !== "");
      return { gateway, response, attempt: `transform/${readFileSync(noted, "utf8")}` };
    };
    const stopped = await loop();
    assert.deepEqual(await stopped.gateway.stop(), { code: 0, signal: null });
    assert.equal((await stopped.response)?.status, 503);
    await groupGone(stopped.attempt);
    const killed = await loop();
    await killed.gateway.kill();
    await groupGone(killed.attempt);
  });

  test("a second signal ends it at once; the run is not lost and its processes do not outlive it", async (context) => {
    const lab = labFor(context, { settings: { drainSeconds: 3600 } });
    const gateway = await lab.start();
    const runId = await sendAgent(gateway.url, { message: "[hold go] endless" });
    const { attempt } = await runStarted(lab, runId);
    gateway.signal("SIGTERM");
    await refusesConnections(gateway.url);
    gateway.signal("SIGTERM");
    assert.equal((await gateway.exited).code, 1);
    await groupGone(attempt);

    lab.release("go");
    await lab.start();
    assert.equal((await ended(await lab.openStore(), runId)).status, "succeeded");
  });

  test("an agent does not outlive a gateway that was killed", async (context) => {
    const lab = labFor(context);
    const gateway = await lab.start();
    const runId = await sendAgent(gateway.url, { message: "[hold go] orphan" });
    const { attempt } = await runStarted(lab, runId);
    await gateway.kill();
    await groupGone(attempt);
  });
});
