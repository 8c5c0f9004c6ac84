import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../test/support/process.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { channelContract } from "./channel.contract.ts";
import { createImessage } from "./imessage.ts";
import type { ImsgOptions } from "./imsg.ts";
import { going } from "../../test/fixtures/recording-platform.ts";
import { messageOn, reasonOf, sendOn } from "../../test/fixtures/sending.ts";

const to = "+15550001111";
const program = fileURLToPath(new URL("../../test/fixtures/imsg-program.ts", import.meta.url));
const longLimits = { timeoutMs: 60_000, graceMs: 10_000 };

type Note = { request?: unknown; environment?: string[]; group?: number; child?: number; asked?: string };

function start(does: string | object, options: ImsgOptions = longLimits) {
  const file = join(makeFolder("imsg"), "notes");
  writeFileSync(file, "");
  const way = typeof does === "string" ? does : JSON.stringify(does);
  const channel = createImessage({ command: [process.execPath, program, way, file] }, { fetch }, options);
  const notes = () =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Note);
  return { channel, notes };
}

const running = (command: readonly string[]) =>
  createImessage({ command: [...command] }, { fetch }, longLimits);
channelContract("imessage (imsg)", {
  to,
  accepting: () => start("ok").channel,
  refusing: () => start({ code: -32_602, message: "Invalid params", data: "invalid service" }).channel,
  silent: () => start("hang").channel,
});

describe("the request to imsg", () => {
  const requestFor = async (recipient: string) => {
    const { channel, notes } = start("ok");
    assert.deepEqual(await sendOn(channel, recipient), { kind: "sent" });
    const requests = notes().flatMap(({ request }) => (request ? [request] : []));
    assert.equal(requests.length, 1);
    return requests[0];
  };
  const requestWith = (params: object) => ({
    jsonrpc: "2.0",
    id: "0198c0de-0000-7000-8000-000000000001-0",
    method: "send",
    params,
  });

  test("a recipient is a person with iMessage, or a chat", async () => {
    const text = "Hello.";
    assert.deepEqual(await requestFor("+1 (555) 000-1111"), requestWith({ to, text, service: "imessage" }));
    assert.deepEqual(
      await requestFor("Ada@example.org"),
      requestWith({ to: "ada@example.org", text, service: "imessage" }),
    );
    assert.deepEqual(
      await requestFor("iMessage;+;chat123"),
      requestWith({ chat_guid: "iMessage;+;chat123", text }),
    );
  });

  test("a message of several lines is one line to imsg", async () => {
    const { channel, notes } = start("ok");
    assert.deepEqual(await sendOn(channel, to, "one\n\ntwo `$(three)` \u2028 four"), { kind: "sent" });
    const request = notes()[1]?.request as { params: { text: string } } | undefined;
    assert.match(request?.params.text ?? "", /^one\n+two .*\u2028 four$/s);
  });

  test("none of our secrets are in its environment", async () => {
    process.env["ROUSE_TEST_SECRET"] = "secret";
    const { channel, notes } = start("ok");
    await sendOn(channel, to);
    delete process.env["ROUSE_TEST_SECRET"];
    const names = notes()[0]?.environment ?? [];
    assert.ok(names.includes("PATH") && !names.includes("ROUSE_TEST_SECRET"));
  });
});

describe("the responses of imsg", () => {
  const cases: [string, string | object, string, RegExp][] = [
    ["noise beside the response", "noise", "sent", /^$/],
    ["a response without its line break", "without-line-break", "sent", /^$/],
    ["a response that does not say it was sent", "not-ok", "unknown", /not that it was sent/],
    ["an error without an id", "without-id", "rejected", /Parse error/],
    [
      "a wrong parameter",
      { code: -32_602, message: "Invalid params", data: "invalid service" },
      "rejected",
      /invalid s/,
    ],
    ["no such method", { code: -32_601, message: "Method not found", data: "send" }, "rejected", /not found/],
    [
      "an inner fault",
      { code: -32_603, message: "Internal error", data: "AppleScript" },
      "unknown",
      /AppleScript/,
    ],
    [
      "a fault before it was sent",
      {
        code: -32_603,
        message: "Failed",
        data: { retry_safe: true, disposition: "not_started", detail: "no bridge" },
      },
      "retry",
      /no bridge/,
    ],
    [
      "a fault after it may have been sent",
      { code: -32_001, message: "Delivery outcome unknown", data: { retry_safe: false } },
      "unknown",
      /outcome unknown/,
    ],
    [
      "another send is stuck",
      { code: -32_004, message: "blocked", data: { retry_safe: false } },
      "retry",
      /blocked/,
    ],
    ["no database", { code: -32_002, message: "Database unavailable" }, "retry", /Database/],
    ["busy", { code: -32_000, message: "Server busy" }, "retry", /busy/],
    [
      "an end without a response",
      "exit",
      "unknown",
      /exit code 3 before it responded: Messages is not running$/,
    ],
  ];
  for (const [title, does, kind, words] of cases)
    test(`${title}: ${kind}`, async () => {
      const outcome = await sendOn(start(does).channel, to);
      assert.equal(outcome.kind, kind);
      assert.match(reasonOf(outcome), words);
      if (outcome.kind === "retry") assert.equal(outcome.afterMs, null);
    });

  test("a message without a response in time may have been sent", async () => {
    const outcome = await sendOn(start("hang", { ...longLimits, timeoutMs: 1 }).channel, to);
    assert.deepEqual(outcome, { kind: "unknown", reason: "imsg did not respond in time" });
  });
});

describe("programs that cannot be started", () => {
  test("a program that does not exist or is not executable", async () => {
    const folder = makeFolder("imsg");
    const file = join(folder, "imsg");
    const missing = await sendOn(running([file, "rpc"]), to);
    assert.deepEqual(missing, { kind: "rejected", reason: `the program ${file} was not found` });
    writeFileSync(file, "");
    chmodSync(file, 0o600);
    const forbidden = await sendOn(running([file]), to);
    assert.deepEqual(forbidden, { kind: "rejected", reason: `the program ${file} may not be run` });
  });

  const shell = (script: string) => running(["/bin/sh", "-c", script]);

  test("ssh without a connection: nothing was sent", async () => {
    const away = 'echo "ssh: connect to host mac port 22: Connection refused" >&2; exit 255';
    const outcome = await sendOn(shell(away), to);
    assert.equal(outcome.kind, "retry");
    assert.match(reasonOf(outcome), /exit code 255 .*Connection refused/);
  });

  test("ssh that was cut off: it may have been sent", async () => {
    const cut = 'read -r line; echo "Connection to mac closed by remote host." >&2; exit 255';
    assert.equal((await sendOn(shell(cut), to)).kind, "unknown");
  });

  test("no imsg at the other end", async () => {
    const outcome = await sendOn(shell('echo "zsh:1: command not found: imsg" >&2; exit 127'), to);
    assert.equal(outcome.kind, "rejected");
    assert.match(reasonOf(outcome), /command not found: imsg/);
  });

  test("a message stopped before its start starts no program", async () => {
    const { channel, notes } = start("ok");
    assert.equal((await channel.send(messageOn(channel, to), AbortSignal.abort())).kind, "retry");
    assert.deepEqual(notes(), []);
  });
});

describe("no process is left", () => {
  /** Stops as soon as the program has noted the request. */
  const stopOnceRequested = async (
    { channel, notes }: ReturnType<typeof start>,
    isReady: (notes: Note[]) => boolean,
  ) => {
    const stop = new AbortController();
    const outcome = channel.send(messageOn(channel, to), stop.signal);
    while (!isReady(notes())) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    return (await outcome).kind;
  };

  test("after a response", async () => {
    const { channel, notes } = start("ok");
    await sendOn(channel, to);
    assert.equal(isAlive(notes()[0]?.group ?? 0), false);
  });

  test("when it is stopped, with what it started", async () => {
    const started = start("family");
    const child = () => started.notes().find((note) => note.child)?.child;
    assert.equal(await stopOnceRequested(started, () => child() !== undefined), "unknown");
    const [first] = started.notes();
    assert.equal(isAlive(first?.group ?? 0), false);
    assert.equal(isAlive(child() ?? 0), false);
  });

  test("when it ignores SIGTERM", async () => {
    const started = start("stubborn", { ...longLimits, graceMs: 200 });
    const kind = await stopOnceRequested(started, (notes) => notes.some(({ request }) => request));
    assert.equal(kind, "unknown");
    assert.equal(isAlive(started.notes()[0]?.group ?? 0), false);
  });
});

describe("a check", () => {
  test("asks for the status", async () => {
    const { channel, notes } = start("version");
    assert.deepEqual(await channel.check(going()), { ok: true, detail: "imsg 0.15.10" });
    assert.deepEqual(notes()[1]?.request, { jsonrpc: "2.0", id: "check", method: "status", params: {} });
  });

  test("an older imsg does not know the method, but is there", async () => {
    const older = start({ code: -32_601, message: "Method not found" }).channel;
    assert.deepEqual(await older.check(going()), { ok: true, detail: "imsg" });
  });

  test("a check reports the fault", async () => {
    const broken = await start({ code: -32_603, message: "Internal error" }).channel.check(going());
    assert.ok(!broken.ok && /not ready: Internal error/.test(broken.reason));
    const missing = await running(["/nowhere/imsg"]).check(going());
    assert.deepEqual(missing, { ok: false, reason: "the program /nowhere/imsg was not found" });
  });
});
