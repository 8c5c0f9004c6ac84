// `npm run try:agents`: the presets against the real programs. Each is installed into a scratch folder, one after the
// other (up to 450 MB each), run twice in one conversation with a model server of ours and a home of its own, and
// removed again. Needs the npm registry and nothing else; not part of the tests.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JournalBody, LLMock } from "@copilotkit/aimock";
import type { AgentInput } from "../src/agents/agent.ts";
import { type CommandConfig, createCommandAgent } from "../src/agents/command/command.ts";
import type { CommandPreset } from "../src/config/config.ts";
import type { AgentOutcome } from "../src/core/outcome.ts";

type Trial = {
  preset: CommandPreset;
  package: string;
  model: string;
  args(url: string): string[];
  env(url: string): Record<string, string>;
  /** Writes the settings into its home that it would ask for on a terminal. */
  settle?(home: string): void;
};
type Row = {
  program: string;
  result: string;
  seconds: string;
  tokens: string;
  session: string;
  remarks: string;
};

const installMs = 240_000;
const turnMs = 60_000;
const neededBytes = 1_000_000_000;
const word = "heron";

const trials: readonly Trial[] = [
  {
    preset: "claude",
    package: "@anthropic-ai/claude-code@2.1.325",
    model: "anthropic/claude-sonnet-4-5",
    args: () => [],
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" }),
  },
  {
    preset: "codex",
    package: "@openai/codex@0.166.0",
    model: "openai/gpt-5",
    args: (url) =>
      Object.entries({ name: "try", base_url: `${url}/v1`, wire_api: "responses", env_key: "OPENAI_API_KEY" })
        .flatMap(([name, value]) => ["-c", `model_providers.try.${name}="${value}"`])
        .concat("-c", "model_provider=try"),
    env: () => ({ OPENAI_API_KEY: "none" }),
  },
  {
    preset: "gemini",
    package: "@google/gemini-cli@0.61.0",
    model: "google/gemini-2.5-flash",
    args: () => [],
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
    settle(home) {
      mkdirSync(join(home, ".gemini"));
      const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
  },
];

function install(trial: Trial, folder: string): string | null {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes) return "less than 1 GB is free";
  const name = trial.package.slice(0, trial.package.lastIndexOf("@"));
  const manifest = { private: true, allowScripts: { [name]: true } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", ["install", ...options, trial.package], {
    cwd: folder,
    encoding: "utf8",
    timeout: installMs,
  });
  if (error) return error.message;
  return status === 0 ? null : (stderr.trim().split("\n", 1)[0] ?? "npm failed");
}

async function tryOne(trial: Trial, url: string): Promise<Row> {
  const program = trial.package.replace(/^@[^/]+\//, "");
  const row: Row = { program, result: "", seconds: "", tokens: "", session: "", remarks: "" };
  const folder = mkdtempSync(join(tmpdir(), "rouse-try-"));
  try {
    const missing = install(trial, folder);
    if (missing !== null) return { ...row, result: "skipped", remarks: `not installed: ${missing}` };
    return { ...row, ...(await converse(trial, folder, url)) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function converse(trial: Trial, folder: string, url: string): Promise<Partial<Row>> {
  const home = join(folder, "home");
  mkdirSync(home);
  trial.settle?.(home);
  const environment = { PATH: process.env["PATH"], HOME: home, ...trial.env(url) };
  const agent = createCommandAgent(configOf(trial, folder, url), { environment });
  const ask = async (prompt: string, conversation: AgentInput["conversation"]) => {
    const before = performance.now();
    const outcome = await agent.run(
      { ...turnOf(prompt, trial.model), conversation },
      AbortSignal.timeout(turnMs),
    );
    return { outcome, seconds: ((performance.now() - before) / 1000).toFixed(1) };
  };
  const first = await ask(`Remember this word: ${word}.`, { history: [], foreignSession: null });
  const session = first.outcome.report?.foreignSession ?? null;
  const second = await ask("Which word was it?", { history: [], foreignSession: session });
  const fault = faultIn(first.outcome, "Noted.") ?? faultIn(second.outcome, word);
  const warnings = [...(first.outcome.report?.warnings ?? []), ...(second.outcome.report?.warnings ?? [])];
  return {
    result: fault === null ? "works" : "FAILS",
    seconds: `${first.seconds} + ${second.seconds}`,
    tokens: [first, second].map(({ outcome }) => tokensOf(outcome)).join(" + "),
    session: session ?? "none",
    remarks: [...new Set(fault === null ? warnings : [fault, ...warnings])].join(" "),
  };
}

const configOf = ({ preset, args }: Trial, folder: string, url: string): CommandConfig => ({
  kind: "command",
  preset,
  input: "prompt",
  id: "try",
  default: true,
  workspace: join(folder, "workspace"),
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: null,
  thinking: null,
  command: join(folder, "node_modules", ".bin", preset),
  args: args(url),
  env: [],
  outputLimitBytes: 1_048_576,
});

const turnOf = (prompt: string, model: string): AgentInput => ({
  runId: "try",
  agentId: "try",
  sessionKey: "try",
  prompt,
  instructions: prompt,
  data: [],
  conversation: null,
  trace: null,
  tools: [],
  onActing: async () => false,
  model,
  thinking: "minimal",
  timeoutSeconds: turnMs / 1000,
});

function faultIn(outcome: AgentOutcome, expected: string): string | null {
  if (outcome.kind === "failed") return outcome.reason;
  if (outcome.reply !== expected) return `it replied "${outcome.reply}" where "${expected}" was expected.`;
  if (outcome.report?.usage?.outputTokens !== 7) return "the tokens it used were not understood.";
  return outcome.report.foreignSession === undefined ? "it named no session." : null;
}

const tokensOf = ({ report }: AgentOutcome): string =>
  report?.usage ? `${report.usage.inputTokens}/${report.usage.outputTokens}` : "?";

/** Knows the word only from the history that the program sends. */
function reply(request: JournalBody) {
  const said = JSON.stringify(request);
  const content = said.includes("Which word was it?")
    ? said.includes(word)
      ? word
      : "I do not know."
    : "Noted.";
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  return { content, usage: { ...usage, input_tokens: 11, output_tokens: 7, ...geminiUsage } };
}
const geminiUsage = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

const server = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
server.onMessage(/[^]*/, reply);
const url = await server.start();
const rows: Row[] = [];
try {
  for (const trial of trials) {
    console.log(`${trial.package} …`);
    rows.push(await tryOne(trial, url));
  }
} finally {
  await server.stop();
}
console.table(rows);
const tried = rows.filter(({ result }) => result !== "skipped");
if (tried.length === 0) console.error("Nothing could be tried.");
process.exitCode = tried.length > 0 && tried.every(({ result }) => result === "works") ? 0 : 1;
