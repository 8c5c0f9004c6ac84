import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isAlive } from "../../../test/support/process.ts";
import { eventually } from "../../../test/fakes/clock.ts";
import type { AgentInput } from "../agent.ts";
import { agentContract, contractInput } from "../agent.contract.ts";
import { createCommandAgent, type CommandConfig } from "./command.ts";
import { hearing } from "../../../test/fixtures/told.ts";
import { agentSettings } from "../../../test/builders/agent.ts";

const folder = mkdtempSync(join(tmpdir(), "rouse-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const command = (more: Partial<CommandConfig>): CommandConfig => ({
  kind: "command",
  preset: null,
  input: "prompt",
  ...agentSettings,
  workspace: join(folder, "workspace"),
  command: "/bin/sh",
  args: [],
  env: [],
  outputLimitBytes: 1_000_000,
  ...more,
});

const shell = (script: string, more: Partial<CommandConfig> = {}, graceMs = 100) =>
  createCommandAgent(command({ args: ["-c", script], ...more }), { graceMs });

const run = (script: string, more: Partial<CommandConfig> = {}, prompt = "Hello.") =>
  shell(script, more).run(contractInput(prompt), new AbortController().signal);

agentContract("command", {
  replying: () => shell("cat"),
  telling: () => shell("cat"),
  failing: () => shell("exit 1"),
  endless: () => shell("sleep 600"),
});

test("gets the prompt on standard input; the reply is standard output, trimmed", async () => {
  assert.deepEqual(await run("cat; echo; echo", {}, "ünï 🙂"), { kind: "replied", reply: "ünï 🙂" });
});

test("what it writes is told as it comes, a character in two pieces as one", async () => {
  const { onEvent, lines } = hearing();
  const script = "printf 'a\\303'; sleep 0.2; printf '\\274b'; sleep 0.2; exit 1";
  const outcome = await shell(script).run({ ...contractInput(), onEvent }, new AbortController().signal);
  assert.equal(outcome.kind, "failed", "what was told is no reply yet");
  assert.deepEqual(lines, ["a", "üb"]);
});

test("a conversation's earlier turns stand before the prompt", async () => {
  const history = [
    { role: "user", text: "My name is Ada." },
    { role: "assistant", text: "Hello Ada." },
  ] as const;
  const input = { ...contractInput("Who am I?"), conversation: { history, foreignSession: null } };
  const outcome = await shell("cat").run(input, new AbortController().signal);
  assert.ok(outcome.kind === "replied");
  assert.match(outcome.reply, /^\| My name is Ada\.$[^]*^\| Hello Ada\.$[^]*^Who am I\?$/m);
});

test("a program that does not read its input may still reply", async () => {
  const outcome = await run("exec 0<&-; echo fine", {}, "x".repeat(1_000_000));
  assert.deepEqual(outcome, { kind: "replied", reply: "fine" });
});

test("works in its workspace, which is made when it is missing", async () => {
  const workspace = join(folder, "made", "deep");
  assert.deepEqual(await run("pwd", { workspace }), { kind: "replied", reply: workspace });
});

test("the reason names a workspace that cannot be made", async () => {
  const outcome = await run("pwd", { workspace: "/dev/null/no" });
  assert.ok(outcome.kind === "failed" && !outcome.mayPass && outcome.reason.includes("/dev/null/no"));
});

test("it sees the run's variables and only the allowed environment", async () => {
  const environment = { PATH: process.env["PATH"], SECRET: "no", EXTRA: "yes" };
  const agent = createCommandAgent(command({ args: ["-c", "env"], env: ["EXTRA", "ABSENT"] }), {
    environment,
  });
  const input = { ...contractInput(), model: "m", thinking: "high" };
  const outcome = await agent.run(input, new AbortController().signal);
  assert.ok(outcome.kind === "replied");
  const lines = outcome.reply.split("\n");
  for (const line of [
    `ROUSE_RUN_ID=${input.runId}`,
    "ROUSE_AGENT_ID=main",
    "ROUSE_SESSION_KEY=hook:contract",
    "ROUSE_MODEL=m",
    "ROUSE_THINKING=high",
    "EXTRA=yes",
  ])
    assert.ok(lines.includes(line), line);
  assert.ok(!outcome.reply.includes("SECRET") && !outcome.reply.includes("ABSENT"));
});

test("an exit code is a failure with the end of standard error", async () => {
  const outcome = await run(`printf '%0600d' 7 >&2; echo end >&2; exit 3`);
  assert.ok(outcome.kind === "failed" && !outcome.mayPass);
  assert.match(outcome.reason, /^the command ended with exit code 3: 0+7end$/);
  assert.ok(outcome.reason.length < 550);
});

test("exit code 75 says that it may pass", async () => {
  assert.deepEqual(await run("exit 75"), {
    kind: "failed",
    reason: "the command ended with exit code 75",
    mayPass: true,
  });
});

test("a program killed by a foreign signal may pass", async () => {
  assert.deepEqual(await run("kill -9 $$"), {
    kind: "failed",
    reason: "the command was ended by SIGKILL",
    mayPass: true,
  });
});

test("no reply is a failure", async () => {
  assert.deepEqual(await run("echo ' '"), {
    kind: "failed",
    reason: "the command gave no reply",
    mayPass: false,
  });
});

test("too much output is a failure and ends the program", async () => {
  const outcome = await run("while :; do echo 0123456789; done", { outputLimitBytes: 1000 });
  assert.deepEqual(outcome, {
    kind: "failed",
    reason: "the command wrote more than 1000 bytes",
    mayPass: false,
  });
});

test("the reason names a command that was not found", async () => {
  const outcome = await run("", { command: "no-such-command-here" });
  assert.deepEqual(outcome, {
    kind: "failed",
    reason: "the command no-such-command-here was not found: install it, or write its whole path",
    mayPass: false,
  });
});

test("an input that no process can take is a failure, not a throw", async () => {
  const agent = shell("cat");
  const outcome = await agent.run({ ...contractInput(), model: "a\u0000b" }, new AbortController().signal);
  assert.ok(outcome.kind === "failed" && !outcome.mayPass);
});

test("background processes of an ended program do not delay the outcome", async () => {
  assert.deepEqual(await run("sleep 5 & echo done"), { kind: "replied", reply: "done" });
});

test("a stop after the program's end also ends what it left in the background", async () => {
  const file = join(folder, "left-behind");
  const stop = new AbortController();
  const script = `trap '' TERM; sleep 600 & echo $$ $! > ${file}.part; mv ${file}.part ${file}`;
  const outcome = shell(script).run(contractInput(), stop.signal);
  await eventually(() => existsSync(file), "the program's start");
  const [program, left] = readFileSync(file, "utf8").trim().split(" ").map(Number);
  await eventually(() => !isAlive(program!), "the program's end");
  stop.abort();
  await outcome;
  await eventually(() => !isAlive(left!), "the end of what it left");
});

for (const [what, trap] of [
  ["", ""],
  [" that ignore SIGTERM", "trap '' TERM; "],
])
  test(`when it is stopped, the program and its children${what} are gone`, async () => {
    const file = join(folder, `pids${trap === "" ? "" : "-deaf"}`);
    const stop = new AbortController();
    const script = `${trap}sleep 600 & echo $$ $! > ${file}.part; mv ${file}.part ${file}; wait; sleep 600`;
    const outcome = shell(script).run(contractInput(), stop.signal);
    await eventually(() => existsSync(file), "the program's start");
    stop.abort();
    assert.deepEqual(await outcome, { kind: "failed", reason: "it was stopped", mayPass: true });
    const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
    assert.equal(pids.length, 2);
    await eventually(() => !pids.some(isAlive), "the end of every process");
  });

test("with input json it gets what an http agent gets, as one line", async () => {
  const history = [
    { role: "user", text: "My name is Ada." },
    { role: "assistant", text: "Hello Ada." },
  ] as const;
  const data = [
    { id: 1, label: "body", source: "request", text: "ünï 🙂\n\u0000", truncated: false, length: 9 },
  ] as const;
  const input = {
    ...contractInput("the whole prompt"),
    instructions: "Summarise: [data 1]",
    data,
    model: "m",
    thinking: "low",
  };
  const going = new AbortController().signal;
  const reply = async (more: Partial<AgentInput>): Promise<string> => {
    const outcome = await shell("cat", { input: "json" }).run({ ...input, ...more }, going);
    assert.ok(outcome.kind === "replied");
    return outcome.reply;
  };
  const isolated = await reply({});
  assert.deepEqual(JSON.parse(isolated), {
    runId: input.runId,
    agentId: "main",
    sessionKey: "hook:contract",
    instructions: "Summarise: [data 1]",
    data,
    message: "the whole prompt",
    model: "m",
    thinking: "low",
    timeoutSeconds: 60,
  });
  const continued = await reply({ conversation: { history, foreignSession: null } });
  assert.deepEqual((JSON.parse(continued) as { history: unknown }).history, history);
  const lines = await shell("wc -l", { input: "json" }).run(input, going);
  assert.deepEqual(lines, { kind: "replied", reply: "1" });
});

test("values in env reach it, come before the gateway's own, and never before those of the run", async () => {
  const environment = { PATH: process.env["PATH"], TZ: "UTC", SECRET: "no" };
  const env = { API_KEY: "a key = with 'signs'\nand lines", TZ: "Europe/Vienna", EMPTY: "" };
  const agent = createCommandAgent(
    command({ args: ["-c", 'printf "%s|" "$API_KEY" "$TZ" "${EMPTY-unset}" "${SECRET-unset}"'], env }),
    { environment },
  );
  const outcome = await agent.run(contractInput(), new AbortController().signal);
  assert.deepEqual(outcome, { kind: "replied", reply: `${env.API_KEY}|Europe/Vienna||unset|` });
});

test("the reason of a failure shows no value of a variable that it was given", async () => {
  const environment = { PATH: process.env["PATH"], PASSED: "passed-key-0123456789" };
  const reason = async (script: string, env: CommandConfig["env"]) => {
    const agent = createCommandAgent(command({ args: ["-c", script], env }), { environment });
    const outcome = await agent.run(contractInput(), new AbortController().signal);
    assert.ok(outcome.kind === "failed");
    return outcome.reason;
  };
  const key = "sk-given-0123456789-abcdefghij";
  assert.equal(
    await reason('echo "$KEY is not valid" >&2; exit 2', { KEY: key }),
    "the command ended with exit code 2: ${KEY} is not valid",
  );
  assert.equal(
    await reason('echo "$PASSED is not valid" >&2; exit 2', ["PASSED"]),
    "the command ended with exit code 2: ${PASSED} is not valid",
  );
  // At the beginning of the tail that is kept, and at the beginning of the reason made from it.
  for (const after of [480, 490, 500, 1975, 1985, 1995]) {
    const shown = await reason(`printf '%s%0${after}d' "$KEY" 0 >&2; exit 2`, { KEY: key });
    for (let from = 0; from + 8 <= key.length; from++)
      assert.ok(!shown.includes(key.slice(from, from + 8)), `${after}: ${key.slice(from, from + 8)}`);
  }
});

test("who asks gets the last line of standard error while it runs, without keys", async () => {
  const file = join(folder, "go-on");
  const key = "sk-given-0123456789-abcdefghij";
  const script = `echo first >&2; printf '\\033[32musing %s\\033[0m\\n\\n' "$KEY" >&2; until [ -e ${file} ]; do sleep 0.01; done; echo done`;
  let lastLine: () => string | null = () => null;
  const input = { ...contractInput(), onErrorOutput: (read: typeof lastLine) => void (lastLine = read) };
  const outcome = shell(script, { env: { KEY: key } }).run(input, new AbortController().signal);
  await eventually(() => lastLine() === "using ${KEY}", "the line");
  writeFileSync(file, "");
  assert.deepEqual(await outcome, { kind: "replied", reply: "done" });
});

test(
  "a flood on standard error is not read line by line, and holds nothing up",
  { timeout: 60_000 },
  async () => {
    let calls = 0;
    let lastLine: () => string | null = () => null;
    const input = {
      ...contractInput(),
      onErrorOutput(read: typeof lastLine) {
        calls++;
        lastLine = read;
      },
    };
    const lines = 500_000;
    const script = `awk 'BEGIN { for (n = 1; n <= ${lines}; n++) print "line " n > "/dev/stderr" }'; echo done`;
    const outcome = await shell(script).run(input, new AbortController().signal);
    assert.deepEqual(outcome, { kind: "replied", reply: "done" });
    assert.equal(lastLine(), `line ${lines}`);
    assert.ok(calls < lines / 2, `${calls} calls`);
  },
);
