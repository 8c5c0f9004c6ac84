// A program that takes the options and writes the events of `claude`, `codex` or `gemini`, as those versions did that
// were tried: run as `node program.fixture.ts NAME ARGUMENTS`. The prompt says what is to happen; otherwise the reply
// is what it was given. Conversations are files in its working directory.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** An executable file that is this program under one of its names. */
export function makeProgram(folder: string, name: string): string {
  const file = join(folder, name);
  const self = fileURLToPath(import.meta.url);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${self}" ${name} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

type Given = { argv: string[]; prompt: string; session: string; resumed: boolean };
type Imitation = {
  options: ParseArgsOptionsConfig;
  /** What must be there as it is. */
  needed: readonly string[];
  sessionOf(values: Record<string, unknown>, positionals: readonly string[]): string | null;
  unknownSession(id: string): void;
  reply(given: Given, reply: string): void;
  fail(given: Given, status: number, message: string): void;
  act(given: Given): void;
};

const string = { type: "string" } as const;
const boolean = { type: "boolean" } as const;
const write = (event: object) => void process.stdout.write(`${JSON.stringify(event)}\n`);
const usage = { input_tokens: 11, output_tokens: 7 };

const claudeResult = (session_id: string, more: object) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id,
  permission_denials: [],
  usage: { ...usage, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 },
  ...more,
});

const claude: Imitation = {
  options: {
    print: { ...boolean, short: "p" },
    "output-format": string,
    verbose: boolean,
    model: string,
    effort: string,
    resume: string,
    "permission-mode": string,
  },
  needed: ["-p", "--output-format=stream-json", "--verbose"],
  sessionOf: ({ resume }) => (typeof resume === "string" ? resume : null),
  unknownSession(id) {
    const errors = [`No conversation found with session ID: ${id}`];
    write(claudeResult(id, { subtype: "error_during_execution", is_error: true, errors }));
  },
  reply({ session }, reply) {
    write({ type: "system", subtype: "init", session_id: session, tools: ["Bash"] });
    write(claudeResult(session, { result: reply }));
  },
  fail: ({ session }, status, message) =>
    write(claudeResult(session, { is_error: true, api_error_status: status, result: message })),
  act() {
    const content = [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "make" } }];
    write({ type: "assistant", message: { role: "assistant", content } });
  },
};

const codex: Imitation = {
  options: {
    json: boolean,
    "skip-git-repo-check": boolean,
    sandbox: { ...string, short: "s" },
    model: string,
    config: { ...string, short: "c", multiple: true },
  },
  needed: ["exec", "--json", "--skip-git-repo-check"],
  sessionOf: (_, positionals) => (positionals[1] === "resume" ? (positionals[2] ?? "") : null),
  unknownSession: (id) =>
    void process.stderr.write(`Error: thread/resume failed: no rollout found for thread id ${id}\n`),
  reply({ session, resumed }, reply) {
    const times = resumed ? 2 : 1;
    write({ type: "thread.started", thread_id: session });
    write({ type: "turn.started" });
    write({ type: "item.completed", item: { id: "item_1", type: "agent_message", text: reply } });
    const total = { input_tokens: 11 * times, output_tokens: 7 * times, cached_input_tokens: 0 };
    write({ type: "turn.completed", usage: total });
  },
  fail({ session }, status, message) {
    write({ type: "thread.started", thread_id: session });
    const said = `unexpected status ${status}: ${message}`;
    write({ type: "error", message: `Reconnecting... 1/5 (${said})` });
    write({ type: "turn.failed", error: { message: said } });
  },
  act() {
    const item = { id: "item_1", type: "command_execution", command: "make", status: "in_progress" };
    write({ type: "item.started", item });
  },
};

const gemini: Imitation = {
  options: { "skip-trust": boolean, "output-format": string, model: string, resume: string },
  needed: ["--skip-trust", "--output-format=stream-json"],
  sessionOf: ({ resume }) => (typeof resume === "string" ? resume : null),
  unknownSession: (id) =>
    void process.stderr.write(`Error resuming session: Invalid session identifier "${id}".\n`),
  reply({ session }, reply) {
    write({ type: "init", session_id: session, model: "m" });
    for (const content of [reply.slice(0, 5), reply.slice(5)])
      write({ type: "message", role: "assistant", content, delta: true });
    write({ type: "result", status: "success", stats: usage });
  },
  fail(_, status, message) {
    const error = {
      type: "unknown",
      message: `[API Error: {"error":{"code":${status},"message":"${message}"}}]`,
    };
    write({ type: "result", status: "error", error, stats: usage });
  },
  act: () => write({ type: "tool_use", tool_name: "run_shell_command", tool_id: "run_1", parameters: {} }),
};

const imitations: Readonly<Record<string, Imitation>> = { claude, codex, gemini };

async function run(name: string, argv: string[]): Promise<number> {
  const imitation = imitations[name]!;
  const { values, positionals } = parseArgs({
    args: argv,
    options: imitation.options,
    allowPositionals: true,
  });
  for (const each of imitation.needed)
    if (!argv.includes(each)) throw new Error(`${name} was started without ${each}`);
  const prompt = await text(process.stdin);
  if (argv.some((each) => each.length > 3 && prompt.includes(each)))
    throw new Error("a part of the prompt is among the arguments");
  const wanted = imitation.sessionOf(values, positionals);
  if (wanted !== null && !existsSync(`session-${wanted}`)) {
    imitation.unknownSession(wanted);
    return 1;
  }
  const given = { argv, prompt, session: wanted ?? randomUUID(), resumed: wanted !== null };
  return behave(imitation, given);
}

async function behave(imitation: Imitation, given: Given): Promise<number> {
  const { prompt, session, argv } = given;
  if (prompt.includes("act first")) imitation.act(given);
  if (prompt.includes("never end")) {
    const child = spawn("sleep", ["600"]);
    writeFileSync("pids.part", `${process.pid} ${child.pid}`);
    renameSync("pids.part", "pids");
    await new Promise((resolve) => child.on("exit", resolve));
  }
  const failure = /fail with (\d+) (\w+)/.exec(prompt);
  if (failure) {
    imitation.fail(given, Number(failure[1]), failure[2]!);
    return prompt.includes("and exit 0") ? 0 : 1;
  }
  if (prompt.includes("say nothing")) return 0;
  writeFileSync(`session-${session}`, "");
  imitation.reply(
    given,
    prompt.includes("talk much") ? "x".repeat(100_000) : JSON.stringify({ argv, prompt }),
  );
  return prompt.includes("stumble") ? 9 : 0;
}

if (import.meta.main) process.exitCode = await run(process.argv[2]!, process.argv.slice(3));
