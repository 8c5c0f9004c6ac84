import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isAlive } from "../../../../test/support/process.ts";
import { eventually } from "../../../../test/fakes/clock.ts";
import { type CommandPreset, commandPresets } from "../../../config/config.ts";
import type { AgentOutcome } from "../../../core/outcome.ts";
import { agentContract, contractInput } from "../../agent.contract.ts";
import type { AgentInput } from "../../agent.ts";
import { createCommandAgent, type CommandConfig } from "../command.ts";
import { makeProgram } from "../../../../test/fixtures/preset-program.ts";
import { hearing } from "../../../../test/fixtures/told.ts";
import { agentSettings } from "../../../../test/builders/agent.ts";

// A program must be allowed to run from here, which memory file systems may forbid.
const folder = mkdtempSync(join(tmpdir(), "rouse-presets-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;

function makeAgent(preset: CommandPreset, more: Partial<CommandConfig> = {}) {
  const bin = join(folder, preset);
  mkdirSync(bin, { recursive: true });
  const config: CommandConfig = {
    kind: "command",
    preset,
    input: "prompt",
    ...agentSettings,
    workspace: join(folder, `workspace-${made++}`),
    command: makeProgram(bin, preset),
    args: [],
    env: [],
    outputLimitBytes: 1_000_000,
    ...more,
  };
  const agent = createCommandAgent(config, { graceMs: 100 });
  const run = (prompt: string, input: Partial<AgentInput> = {}, signal = new AbortController().signal) =>
    agent.run({ ...contractInput(prompt), ...input }, signal);
  return { agent, run, config };
}

const given = (outcome: AgentOutcome) => {
  assert.ok(outcome.kind === "replied", JSON.stringify(outcome));
  return JSON.parse(outcome.reply) as { argv: string[]; prompt: string };
};
const reportOf = (outcome: AgentOutcome) => outcome.report ?? {};
const failureOf = (outcome: AgentOutcome) => {
  assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
  return outcome;
};

const said = [
  { role: "user", text: "My name is Ada." },
  { role: "assistant", text: "Hello Ada." },
] as const;

for (const preset of commandPresets) {
  agentContract(`command, preset ${preset}`, {
    replying: () => makeAgent(preset).agent,
    telling: () => makeAgent(preset).agent,
    failing: () => makeAgent(preset, { args: ["--no-such-option"] }).agent,
    endless: () => {
      const { agent } = makeAgent(preset);
      return { run: (input, signal) => agent.run({ ...input, prompt: "never end" }, signal) };
    },
  });

  describe(`preset ${preset}`, () => {
    test("the prompt comes on standard input, the arguments of the config after ours", async () => {
      const args = preset === "codex" ? ["-c", "model_provider=mine"] : ["--model=mine"];
      const outcome = await makeAgent(preset, { args }).run("Hello there.");
      const { argv, prompt } = given(outcome);
      assert.equal(prompt, "Hello there.");
      const at = argv.indexOf(args[0]!);
      assert.deepEqual(argv.slice(at, preset === "codex" ? -1 : undefined), args);
      assert.deepEqual(reportOf(outcome).usage, {
        inputTokens: preset === "claude" ? 1111 : 11,
        outputTokens: 7,
      });
    });

    test("a conversation goes on in the program's own session", async () => {
      const { run } = makeAgent(preset);
      const first = await run("One.", { conversation: { history: [], foreignSession: null } });
      const { foreignSession = null } = reportOf(first);
      assert.ok(foreignSession !== null);
      const second = await run("Two.", { conversation: { history: said, foreignSession } });
      const { argv, prompt } = given(second);
      assert.equal(prompt, "Two.");
      assert.match(argv.join(" "), new RegExp(`resume[ =]${foreignSession.split(":", 1)[0]}`));
      assert.equal(reportOf(second).usage?.outputTokens, 7);
      assert.equal(reportOf(second).foreignSession?.split(":", 1)[0], foreignSession.split(":", 1)[0]);
      assert.equal(reportOf(second).warnings, undefined);
    });

    test("without a session, or with one that the program has forgotten, it gets the history as text", async () => {
      const { run } = makeAgent(preset);
      const carried = given(await run("Go on.", { conversation: { history: said, foreignSession: null } }));
      assert.match(carried.prompt, /^\| My name is Ada\.$[^]*^\| Hello Ada\.$[^]*Go on\.$/m);
      const outcome = await run("Go on.", { conversation: { history: said, foreignSession: "gone" } });
      assert.match(given(outcome).prompt, /^\| Hello Ada\.$/m);
      assert.match(reportOf(outcome).warnings?.join() ?? "", /no longer had the conversation/);
      assert.ok(reportOf(outcome).foreignSession);
    });

    test("a session's name that could be an option is not passed on", async () => {
      for (const foreignSession of ["--yolo", "a b", "", "x\n-y"]) {
        const outcome = await makeAgent(preset).run("Go.", { conversation: { history: [], foreignSession } });
        assert.ok(!given(outcome).argv.join(" ").includes("resume"));
      }
    });

    test("a reported failure is a failure with any exit code", async () => {
      const { run } = makeAgent(preset);
      for (const [prompt, mayPass] of [
        ["fail with 429 slow", true],
        ["fail with 429 slow and exit 0", true],
        ["fail with 503 away", true],
        ["fail with 401 key and exit 0", false],
        ["fail with 400 wrong", false],
      ] as const) {
        const failure = failureOf(await run(prompt));
        assert.equal(failure.mayPass, mayPass, prompt);
        assert.match(failure.reason, /^the command reported: .*(slow|away|key|wrong)/);
        assert.equal(failure.report?.foreignSession, undefined);
      }
    });

    test("no reply is a failure; a fault after the reply is not", async () => {
      const { run } = makeAgent(preset);
      assert.match(failureOf(await run("say nothing")).reason, /without a reply that is understood/);
      assert.equal((await run("stumble")).kind, "replied");
    });

    test("a reply over the limit is a failure", async () => {
      const { run } = makeAgent(preset, { outputLimitBytes: 50_000 });
      assert.match(failureOf(await run("talk much")).reason, /more than 50000 bytes/);
    });

    test("a key that it repeats in a failure is not shown", async () => {
      const { run } = makeAgent(preset, { env: { ANY_KEY: "given0123456789" } });
      const { reason } = failureOf(await run("fail with 401 given0123456789"));
      assert.match(reason, /\$\{ANY_KEY\}/);
      assert.doesNotMatch(reason, /given/);
    });

    test("its key is in its environment, other secrets are not", async () => {
      const key = { claude: "ANTHROPIC_API_KEY", codex: "OPENAI_API_KEY", gemini: "GEMINI_API_KEY" }[preset];
      const environment = { PATH: process.env["PATH"], [key]: "secret-key", ROUSE_TOKEN: "no" };
      const command = makeShell(
        `printf '%s %s' "$(printf %s "$${key}" | cut -c 1-6)" "$ROUSE_TOKEN" >&2; exit 3`,
      );
      const agent = createCommandAgent({ ...makeAgent(preset).config, command }, { environment });
      const { reason } = failureOf(await agent.run(contractInput(), new AbortController().signal));
      assert.equal(reason, "the command ended with exit code 3: secret");
    });

    test("a tool that may change something is announced while it runs, and reported", async () => {
      const args = preset === "codex" ? ["--sandbox=workspace-write"] : [];
      const { run } = makeAgent(preset, { args });
      let announced = 0;
      const onActing = async () => ++announced > 0;
      const outcome = await run("act first, then fail with 503 away", { onActing });
      assert.equal(announced, 1);
      assert.ok(failureOf(outcome).report?.acted);
      assert.equal(outcome.report?.toolsUsed?.length, 1);
    });

    test("its tools and its text are told in order, without the values of its variables", async () => {
      const { run } = makeAgent(preset, { env: { ANY_KEY: "given0123456789" } });
      const { onEvent, lines } = hearing();
      const outcome = await run("act first", { onEvent });
      assert.ok(outcome.kind === "replied");
      const [started, ended, ...text] = lines;
      assert.match(
        started ?? "",
        /^(toolu_1: Bash|item_1: command_execution|run_1: run_shell_command)\(.*make.*\)$/,
      );
      assert.match(ended ?? "", /^(toolu_1|item_1|run_1): true key: \$\{ANY_KEY\}$/);
      assert.equal(text.join(""), `+ ${outcome.reply}`);
    });

    test("a run that may not act is stopped", async () => {
      const args = preset === "codex" ? ["--sandbox=workspace-write"] : [];
      const { run } = makeAgent(preset, { args });
      for (const onActing of [async () => false, async () => Promise.reject(new Error("away"))]) {
        const failure = failureOf(await run("act first, never end", { onActing }));
        assert.equal(failure.reason, "it was stopped");
      }
    });

    test("when it is stopped, the program and its children are gone", async () => {
      const { run, config } = makeAgent(preset);
      const stop = new AbortController();
      const outcome = run("never end", {}, stop.signal);
      const file = join(config.workspace, "pids");
      await eventually(() => existsSync(file), "the program's start");
      stop.abort();
      assert.equal(failureOf(await outcome).reason, "it was stopped");
      const pids = readFileSync(file, "utf8").split(" ").map(Number);
      assert.equal(pids.length, 2);
      await eventually(() => !pids.some(isAlive), "the end of every process");
    });
  });
}

test("a command that runs in codex's read-only sandbox changes nothing", async () => {
  const outcome = await makeAgent("codex").run("act first", {
    onActing: () => Promise.reject(new Error("no")),
  });
  assert.equal(reportOf(outcome).acted, undefined);
  assert.deepEqual(reportOf(outcome).toolsUsed, ["command_execution"]);
});

function makeShell(script: string): string {
  const file = join(folder, `shell-${made++}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}
