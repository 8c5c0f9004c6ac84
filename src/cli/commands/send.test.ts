import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import type { Clock } from "../../core/clock.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import type { Settlement } from "../../core/settlement.ts";
import type { Store } from "../../store/ports/store.ts";
import {
  createConfig,
  createStoredHome,
  createTestContext,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";
import { createProgress } from "../terminal/progress.ts";
import { waitForRun } from "../runs/wait.ts";

type Seen = { url: string; headers: IncomingHttpHeaders; body: string };

/** Answers every request alike, after `before` has run. */
async function fakeServer(
  t: TestContext,
  status: number,
  body: object | null,
  { before = async () => {}, headers = {} }: { before?: () => Promise<void>; headers?: object } = {},
) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request)
      .then(async (written) => {
        seen.push({ url: request.url ?? "", headers: request.headers, body: written });
        await before();
        response.writeHead(status, { ...headers, "content-type": "application/json" });
        return response.end(body === null ? "" : JSON.stringify(body));
      })
      .catch((fault: unknown) => response.destroy(fault as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

test("wake and agent send what their options say, with the config's token", async (t) => {
  const { rouse } = createConfig(t);
  const wake = await fakeServer(t, 200, { ok: true, mode: "now", eventId: "e1" });
  const sent = await rouse(["send", "wake", "hi", "--mode", "next-heartbeat", "--url", `${wake.url}/`]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stdout, /event e1/);
  assert.equal(wake.seen[0]?.url, "/hooks/wake");
  assert.equal(wake.seen[0].headers.authorization, `Bearer ${hookToken}`);
  assert.deepEqual(JSON.parse(wake.seen[0].body), { text: "hi", mode: "next-heartbeat" });

  const agent = await fakeServer(
    t,
    202,
    { ok: true, runId: "r1" },
    { headers: { "idempotent-replayed": "true" } },
  );
  const options =
    "--name N --agent ops --session-key k:1 --channel telegram --to -1 --model m --thinking low --timeout 60 --no-deliver --wake-mode now --idempotency-key once";
  const ran = await rouse(["send", "agent", "go", ...options.split(" "), "--url", agent.url]);
  assert.match(ran.stdout, /run r1 .*nothing was done twice/);
  assert.equal(agent.seen[0]?.headers["idempotency-key"], "once");
  assert.deepEqual(JSON.parse(agent.seen[0].body), {
    message: "go",
    name: "N",
    agentId: "ops",
    sessionKey: "k:1",
    channel: "telegram",
    to: "-1",
    model: "m",
    thinking: "low",
    timeoutSeconds: 60,
    deliver: false,
    wakeMode: "now",
  });
  assert.deepEqual(json(await rouse(["send", "agent", "go", "--json", "--url", agent.url])), {
    ok: true,
    runId: "r1",
  });
});

test("a file or standard input is sent as it is, to any hook", async (t) => {
  const { rouse, folder } = createConfig(t);
  const { url, seen } = await fakeServer(t, 204, null);
  const file = join(folder, "body.json");
  writeFileSync(file, '{ "a": 1 }');
  const done = await rouse(["send", "git/push", "--file", file, "--url", url]);
  assert.equal(done.code, 0);
  assert.match(done.stdout, /nothing to do/);
  await rouse(["send", "wake", "--file", "-", "--url", url], { readInput: async () => "[]" });
  assert.deepEqual(
    seen.map(({ url, body }) => [url, body]),
    [
      ["/hooks/git/push", '{ "a": 1 }'],
      ["/hooks/wake", "[]"],
    ],
  );
  assert.equal((await rouse(["send", "wake", "--file", join(folder, "none")])).code, 1);
});

test("headers are sent, repeated ones too; those of the token and the connection are refused", async (t) => {
  const { rouse } = createConfig(t);
  const { url, seen } = await fakeServer(t, 204, null);
  const headers = ["X-GitHub-Event: push", "x-tag:a", "X-Tag: b", "Content-Type: application/vnd.x+json"];
  const options = headers.flatMap((each) => ["--header", each]);
  const sent = await rouse(["send", "/crm:lead@eu/", "--file", "-", ...options, "--url", url]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.equal(seen[0]?.url, "/hooks/crm:lead@eu");
  assert.equal(seen[0].headers["x-github-event"], "push");
  assert.equal(seen[0].headers["x-tag"], "a, b");
  assert.equal(seen[0].headers["content-type"], "application/vnd.x+json");
  assert.equal(seen[0].headers.authorization, `Bearer ${hookToken}`);
  for (const header of [
    "Authorization: x",
    "X-Gateway-Token: x",
    "Host: x",
    "no value",
    ": x",
    "a b: c",
    "x: a\nb",
  ])
    assert.equal(
      (await rouse(["send", "x", "--file", "-", "--url", url, "--header", header])).code,
      2,
      header,
    );
  const twice = ["--header", "idempotency-key: a", "--idempotency-key", "b"];
  assert.equal((await rouse(["send", "x", "--file", "-", "--url", url, ...twice])).code, 2);
  assert.equal(seen.length, 1);
});

test("a file is sent byte by byte", async (t) => {
  const { rouse, folder } = createConfig(t);
  const { url, seen } = await fakeServer(t, 204, null);
  const file = join(folder, "body.bin");
  writeFileSync(file, Buffer.from([0x22, 0xff, 0x22]));
  await rouse(["send", "x", "--file", file, "--url", url]);
  assert.equal(seen[0]?.headers["content-length"], "3");
});

test("the several runs and events of forEach are listed", async (t) => {
  const { rouse } = createConfig(t);
  const said = async (body: object) => {
    const { url } = await fakeServer(t, 202, { ok: true, ...body });
    return (await rouse(["send", "x", "--file", "-", "--url", url])).stdout;
  };
  assert.equal(
    await said({ runIds: ["r1", "r2"] }),
    "Accepted as 2 runs:\n  r1\n  r2\nFollow them with: rouse runs --limit 2\n",
  );
  assert.equal(await said({ runIds: ["r1"] }), "Accepted as run r1\nFollow it with: rouse runs show r1\n");
  assert.equal(await said({ mode: "now", eventIds: ["e1", "e2"] }), "Stored as 2 events:\n  e1\n  e2\n");
  assert.match(await said({ eventIds: ["e1"], runIds: ["r1"] }), /^Stored as event e1\nAccepted as run r1\n/);
});

test("a refusal prints its message and details, and fails", async (t) => {
  const { rouse } = createConfig(t);
  const body = {
    ok: false,
    code: "invalid-payload",
    error: "The payload has faults.",
    details: [{ path: "mode", message: "must be now" }],
  };
  const { url } = await fakeServer(t, 400, body);
  const refused = await rouse(["send", "wake", "x", "--url", url]);
  assert.equal(refused.code, 1);
  assert.equal(refused.stderr, "The payload has faults. (400 invalid-payload)\n  mode: must be now\n");
  assert.deepEqual(json(await rouse(["send", "wake", "x", "--json", "--url", url])), body);
});

test("when nothing listens, the message says how to start the gateway", async (t) => {
  const { rouse } = createConfig(t);
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { code, stderr } = await rouse(["send", "wake", "x", "--url", `http://127.0.0.1:${port}`]);
  assert.equal(code, 1);
  assert.match(stderr, /Nothing is listening.*rouse start/);
});

async function endRun(store: Store, id: string, next: Settlement["next"]): Promise<void> {
  const { claimed } = await claim(store);
  await store.settleRun(
    claimed.find((each) => each.id === id)!,
    aSettlement({ next }),
  );
}

test("--wait prints the reply, or why there is none", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const good = aRun();
  const bad = aRun();
  const ended = { kind: "ended", status: "succeeded", reply: "42\nsure", error: null } as const;
  const answering = await fakeServer(
    t,
    202,
    { ok: true, runId: good.id },
    {
      before: async () => {
        await acceptRuns(store, good);
        await endRun(store, good.id, ended);
      },
    },
  );
  const replied = await rouse(["send", "agent", "what?", "--wait", "--url", answering.url]);
  assert.equal(replied.code, 0);
  assert.equal(replied.stdout, "42\nsure\n");
  const failing = await fakeServer(
    t,
    202,
    { ok: true, runId: bad.id },
    {
      before: async () => {
        await acceptRuns(store, bad);
        await endRun(store, bad.id, { ...ended, status: "failed", reply: null, error: "no model" });
      },
    },
  );
  const failed = await rouse(["send", "agent", "what?", "--wait", "--url", failing.url]);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /failed: no model/);
  const elsewhere = await fakeServer(t, 202, { ok: true, runId: "01990000-0000-7000-8000-000000000000" });
  const lost = await rouse(["send", "agent", "what?", "--wait", "--url", elsewhere.url]);
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /another config/);
});

test("--wait waits for every run that was started", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const good = aRun();
  const bad = aRun();
  await acceptRuns(store, good);
  await endRun(store, good.id, { kind: "ended", status: "succeeded", reply: "42", error: null });
  await acceptRuns(store, bad);
  await endRun(store, bad.id, { kind: "ended", status: "failed", reply: null, error: "no model" });
  const send = async (ids: string[], ...more: string[]) => {
    const { url } = await fakeServer(t, 202, { ok: true, runIds: ids });
    return rouse(["send", "mails", "--file", "-", "--wait", "--url", url, ...more]);
  };
  const both = await send([good.id, bad.id]);
  assert.equal(both.code, 1);
  assert.equal(both.stdout, `Run ${good.id} has succeeded:\n42\n`);
  assert.match(both.stderr, new RegExp(`Run ${bad.id} has failed: no model`));
  const listed = json(await send([good.id, bad.id], "--json")) as { id: string; status: string }[];
  assert.deepEqual(
    listed.map(({ id, status }) => [id, status]),
    [
      [good.id, "succeeded"],
      [bad.id, "failed"],
    ],
  );
  const one = await send([good.id]);
  assert.equal(one.code, 0);
  assert.equal(one.stdout, "42\n");
  const notes = await fakeServer(t, 200, { ok: true, mode: "now", eventIds: ["e1"] });
  const noted = await rouse(["send", "mails", "--file", "-", "--wait", "--url", notes.url]);
  assert.equal(noted.stdout, "Stored as event e1\n");
});

test("--wait polls until the run has ended, with a progress line on a terminal", async () => {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after(delayMs, wake) {
      now += delayMs;
      queueMicrotask(wake);
      return () => {};
    },
  };
  const { context, written } = createTestContext([], { errorIsTerminal: true, clock });
  const base = {
    ...aRun(),
    attempts: 1,
    createdAt: 0,
    startedAt: 0,
    reply: null,
    error: null,
    signals: null,
    report: null,
  };
  const findRun = async () => ({ ...base, status: "running" as const, endedAt: now >= 3000 ? now : null });
  const ended = await waitForRun({ findRun }, base.id, { clock, progress: createProgress(context) });
  assert.equal(ended.endedAt, 3000);
  assert.match(written.stderr, /the run is running, 2 s/);
  assert.doesNotMatch(written.stderr, /, 0 s/);
  assert.ok(written.stderr.endsWith("\u001b[2K"));
});

test("an incomplete or contradictory request is wrong usage", async (t) => {
  const { rouse } = createConfig(t);
  const wrong = [
    [],
    ["wake"],
    ["agent"],
    ["wake", "a", "b"],
    ["wake", "a", "--wait"],
    ["wake", "a", "--model", "m"],
    ["agent", "a", "--mode", "now"],
    ["agent", "a", "--timeout", "soon"],
    ["agent", "a", "--file", "f"],
    ["agent", "--file", "f", "--name", "n"],
    ["custom", "text"],
    ["wake", "a", "--url", "nowhere"],
  ];
  for (const argv of wrong) assert.equal((await rouse(["send", ...argv])).code, 2, argv.join(" "));
});
