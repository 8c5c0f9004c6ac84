import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { createConfig, hookToken, json } from "../../../test/fixtures/command-line.ts";
import { startRecordingServer } from "../../../test/fixtures/recording-server.ts";

test("wake and agent send the fields of their options, with the config's token", async (t) => {
  const { rouse } = createConfig(t);
  const wake = await startRecordingServer(t, 200, { ok: true, mode: "now", eventId: "e1" });
  const sent = await rouse(["send", "wake", "hi", "--mode", "next-heartbeat", "--url", `${wake.url}/`]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stdout, /event e1/);
  assert.equal(wake.seen[0]?.url, "/hooks/wake");
  assert.equal(wake.seen[0].headers.authorization, `Bearer ${hookToken}`);
  assert.deepEqual(JSON.parse(wake.seen[0].body), { text: "hi", mode: "next-heartbeat" });

  const agent = await startRecordingServer(
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

test("a file or standard input is sent unchanged, to any hook", async (t) => {
  const { rouse, folder } = createConfig(t);
  const { url, seen } = await startRecordingServer(t, 204, null);
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
  const { url, seen } = await startRecordingServer(t, 204, null);
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
  const { url, seen } = await startRecordingServer(t, 204, null);
  const file = join(folder, "body.bin");
  writeFileSync(file, Buffer.from([0x22, 0xff, 0x22]));
  await rouse(["send", "x", "--file", file, "--url", url]);
  assert.equal(seen[0]?.headers["content-length"], "3");
});

test("the several runs and events of forEach are listed", async (t) => {
  const { rouse } = createConfig(t);
  const printed = async (body: object) => {
    const { url } = await startRecordingServer(t, 202, { ok: true, ...body });
    return (await rouse(["send", "x", "--file", "-", "--url", url])).stdout;
  };
  assert.equal(
    await printed({ runIds: ["r1", "r2"] }),
    "Accepted as 2 runs:\n  r1\n  r2\nFollow them with: rouse runs --limit 2\n",
  );
  assert.equal(await printed({ runIds: ["r1"] }), "Accepted as run r1\nFollow it with: rouse runs show r1\n");
  assert.equal(await printed({ mode: "now", eventIds: ["e1", "e2"] }), "Stored as 2 events:\n  e1\n  e2\n");
  assert.match(
    await printed({ eventIds: ["e1"], runIds: ["r1"] }),
    /^Stored as event e1\nAccepted as run r1\n/,
  );
});

test("a refusal prints its message and details, and fails", async (t) => {
  const { rouse } = createConfig(t);
  const body = {
    ok: false,
    code: "invalid-payload",
    error: "The payload has faults.",
    details: [{ path: "mode", message: "must be now" }],
  };
  const { url } = await startRecordingServer(t, 400, body);
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

test("--json prints an object for every response, also for one without a body", async (t) => {
  const { rouse } = createConfig(t);
  const sent = async (status: number, body: object | null) => {
    const { url } = await startRecordingServer(t, status, body);
    const result = await rouse(["send", "x", "--file", "-", "--json", "--url", url]);
    return [result.code, json(result)];
  };
  assert.deepEqual(await sent(204, null), [0, { ok: true, status: 204 }]);
  assert.deepEqual(await sent(200, []), [1, { ok: false, status: 200 }]);
  assert.deepEqual(await sent(502, null), [1, { ok: false, status: 502 }]);
});

test("a file of headers is sent; --header replaces one of the same name, and a bad line is named", async (t) => {
  const { rouse, folder } = createConfig(t);
  const { url, seen } = await startRecordingServer(t, 204, null);
  const file = join(folder, "headers.txt");
  const send = (...more: string[]) =>
    rouse(["send", "x", "--file", "-", "--headers", file, "--url", url, ...more]);
  writeFileSync(file, "X-Event: push\r\n\r\nX-Id: a: b\n");
  assert.equal((await send("--header", "x-event: ping")).code, 0);
  assert.deepEqual([seen[0]?.headers["x-event"], seen[0]?.headers["x-id"]], ["ping", "a: b"]);
  for (const line of ["Host: x", "Authorization: Bearer x", "no value"]) {
    writeFileSync(file, `X-Event: push\n${line}\n`);
    const { code, stderr } = await send();
    assert.equal(code, 2, line);
    assert.match(stderr, /Line 2 of \S+headers\.txt/);
  }
  assert.equal((await rouse(["send", "x", "--file", "-", "--headers", join(folder, "none")])).code, 1);
  assert.equal(seen.length, 1);
});

test("a form or XML is sent with its type, by extension or as it is given", async (t) => {
  const { rouse, folder } = createConfig(t);
  const { url, seen } = await startRecordingServer(t, 204, null);
  const send = async (name: string, content: string, ...more: string[]) => {
    writeFileSync(join(folder, name), content);
    return rouse(["send", "x", "--file", join(folder, name), "--url", url, ...more]);
  };
  await send("a.xml", "<a/>");
  await send("a.form", "a=1");
  await send("a.multipart", "--b\r\n\r\n--b--");
  await send("a.txt", "<a/>", "--content-type", "application/soap+xml");
  await send("a.xml", "<a/>", "--header", "Content-Type: text/xml");
  await send("a.json", "{}");
  assert.deepEqual(
    seen.map(({ headers }) => headers["content-type"]),
    [
      "application/xml",
      "application/x-www-form-urlencoded",
      'multipart/form-data; boundary="b"',
      "application/soap+xml",
      "text/xml",
      "application/json",
    ],
  );
  const wrong = await rouse(["send", "wake", "hi", "--content-type", "text/xml", "--url", url]);
  assert.deepEqual([wrong.code, seen.length], [2, 6]);
});
