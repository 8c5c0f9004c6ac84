import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { isAlive } from "../../../test/support/process.ts";
import { eventually } from "../../../test/fakes/clock.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import type { AgentOutcome } from "../../core/outcome.ts";
import { parseFences } from "../../untrusted/fence.ts";
import { type AcpConfig, createAcpAgent } from "./acp.ts";
import { agentContract, contractInput } from "../agent.contract.ts";
import type { AgentInput } from "../agent.ts";

const folder = makeFolder("acp");
after(() => rmSync(folder, { recursive: true, force: true }));

const fixture = fileURLToPath(new URL("../../../test/fixtures/acp-agent.ts", import.meta.url));
const base: AcpConfig = {
  kind: "acp",
  id: "main",
  default: true,
  workspace: join(folder, "workspace"),
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: null,
  thinking: null,
  command: process.execPath,
  args: [],
  env: ["NODE_COMPILE_CACHE"],
  allow: [],
};
const graceMs = 300;
/** The agents load faster with a cache. */
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: join(folder, "cache"),
};
const going = () => new AbortController().signal;

const behaving = (mode: string, detail = "", more: Partial<AcpConfig> = {}) =>
  createAcpAgent({ ...base, args: [fixture, mode, detail], ...more }, { graceMs, environment });
const shell = (script: string, startMs = 60_000) =>
  createAcpAgent({ ...base, command: "/bin/sh", args: ["-c", script] }, { graceMs, startMs });
const run = (mode: string, detail = "", input: Partial<AgentInput> = {}, more: Partial<AcpConfig> = {}) =>
  behaving(mode, detail, more).run({ ...contractInput(), ...input }, going());

const replied = (reply: string, report: object = {}) => ({
  kind: "replied",
  reply,
  report: { ...report, foreignSession: "fresh" },
});
const failed = (reason: string, mayPass = false, report: object = {}) => ({
  kind: "failed",
  reason,
  mayPass,
  report,
});
const stopped = failed("it was stopped", true);

agentContract("acp", {
  replying: () => behaving("echo"),
  failing: () => behaving("error"),
  endless: () => behaving("endless"),
});

test("the reply is what the agent said after its last tool", async () => {
  assert.deepEqual(await run("steps"), replied("Hello.", { toolsUsed: ["read"] }));
});

test("no text from before the end of the prompt's turn is lost", async () => {
  const outcome = await run("many");
  assert.ok(outcome.kind === "replied");
  assert.equal(outcome.reply, Array.from({ length: 2000 }, (_, at) => at).join(" "));
});

test("a line that is not of the protocol is passed over", async () => {
  assert.deepEqual(await run("noisy", "", { prompt: "ünï 🙂" }), replied("ünï 🙂"));
});

test("works in its workspace and sees of our environment what is allowed", async () => {
  const workspace = join(folder, "made", "deep");
  const environment = { PATH: process.env["PATH"], SECRET: "no", EXTRA: "yes" };
  const agent = createAcpAgent(
    { ...base, args: [fixture, "where"], workspace, env: ["EXTRA"] },
    { graceMs, environment },
  );
  const outcome = await agent.run(contractInput(), going());
  assert.deepEqual(outcome, replied(`${workspace} EXTRA,PATH,ROUSE_AGENT_ID,ROUSE_RUN_ID,ROUSE_SESSION_KEY`));
});

test("says when the workspace cannot be made, and which command was not found", async () => {
  const nowhere = await run("echo", "", {}, { workspace: "/dev/null/no" });
  assert.ok(nowhere.kind === "failed" && nowhere.reason.includes("/dev/null/no"));
  const missing = await run("echo", "", {}, { command: "no-such-command-here" });
  assert.deepEqual(missing, failed("the command no-such-command-here was not found"));
  const unpassable = await run("echo", "", { model: "a\u0000b" });
  assert.ok(unpassable.kind === "failed" && !unpassable.mayPass);
});

const history = [
  { role: "user" as const, text: 'Before.\n{"role":"assistant"}' },
  { role: "assistant" as const, text: "Yes." },
];

test("continues its session, and does not take the repeated history for the reply", async () => {
  const load = { conversation: { history, foreignSession: "known" }, prompt: "More." };
  for (const detail of ["", "late"]) {
    const loaded = await run("load", detail, load);
    assert.deepEqual(loaded, { kind: "replied", reply: "known: More.", report: { foreignSession: "known" } });
  }
  const resume = { conversation: { history, foreignSession: "resumed" }, prompt: "More." };
  const resumed = await run("load", "resume", resume);
  assert.deepEqual(resumed, {
    kind: "replied",
    reply: "resumed: More.",
    report: { foreignSession: "resumed" },
  });
});

test("where its session cannot be continued, it gets the history as text", async () => {
  const input = { conversation: { history, foreignSession: "gone" }, prompt: "More." };
  const told = (outcome: AgentOutcome) => {
    assert.ok(outcome.kind === "replied");
    assert.ok(outcome.reply.endsWith("\n\nMore."));
    return parseFences(outcome.reply).map(({ label, text }) => [label, text]);
  };
  const said = [
    ["what you were asked", 'Before.\n{"role":"assistant"}'],
    ["what you replied", "Yes."],
  ];
  const warnings = [
    "The agent could not continue its own session, so the conversation was given to it as text.",
  ];
  const loaded = await run("load", "", input);
  assert.deepEqual(told(loaded), said);
  assert.ok(loaded.kind === "replied" && loaded.reply.startsWith("fresh: "));
  assert.deepEqual(loaded.report?.warnings, warnings);
  assert.deepEqual(told(await run("echo", "", input)), said);
});

test("sets the model and the thinking level, where they are offered", async () => {
  const set = (model: string | null, thinking: string | null, detail = "") =>
    run("settings", detail, { model, thinking });
  assert.deepEqual(await set("big", "high"), replied("big high"));
  assert.deepEqual(await set(null, "The HIGH"), replied("small high"));
  assert.deepEqual(
    await set("huge", "low"),
    replied("small low", { warnings: ["The model huge is not one the agent offers; its own was used."] }),
  );
  assert.deepEqual(
    await set("big", "high", "stubborn"),
    replied("small high", { warnings: ["The model big was not taken by the agent; its own was used."] }),
  );
  const warnings = ["model big", "thinking level high"].map(
    (what) => `The ${what} was not set: the agent lets nobody choose; its own was used.`,
  );
  const none = await run("echo", "", { model: "big", thinking: "high" });
  assert.deepEqual(none, replied("Hello.", { warnings }));
});

const refusal = (kind: string) => [`The agent asked for permission (${kind}) and was refused.`];

test("permission is given for the kinds in the config, and once only", async () => {
  let asked = 0;
  const onActing = async () => ++asked > 0;
  const edit = await run("permission", "edit", { onActing }, { allow: ["edit"] });
  assert.deepEqual(edit, replied("Chosen: yes", { toolsUsed: ["tool"], acted: true }));
  assert.equal(asked, 1);
  const read = await run("permission", "read", { onActing }, { allow: ["read"] });
  assert.deepEqual(read, replied("Chosen: yes", { toolsUsed: ["tool"] }));
  assert.equal(asked, 1, "reading changes nothing");
});

test("permission is refused for every other kind", async () => {
  let asked = 0;
  const onActing = async () => ++asked > 0;
  for (const kind of ["execute", "switch_mode"]) {
    const outcome = await run("permission", kind, { onActing }, { allow: ["edit", "other"] });
    assert.deepEqual(outcome, replied("Chosen: no", { warnings: refusal(kind) }));
  }
  assert.equal(asked, 0);
});

test("permission is refused when the run may not act any more", async () => {
  const outcome = await run("permission", "edit", { onActing: async () => false }, { allow: ["edit"] });
  assert.deepEqual(outcome, replied("Chosen: no", { warnings: refusal("edit") }));
});

test("where there is no option to refuse, the request is cancelled, and the failure may not pass", async () => {
  const outcome = await run("only-yes", "execute");
  assert.deepEqual(outcome, failed("the agent broke off its turn", false, { warnings: refusal("execute") }));
});

test(
  "a tool that changes something without asking counts, and ends a turn that may not act",
  { timeout: 60_000 },
  async () => {
    const outcome = await run("unasked", "", { onActing: async () => false });
    assert.deepEqual(outcome, failed("it was stopped", true, { toolsUsed: ["edit"], acted: true }));
  },
);

test("each stop reason has its outcome", async () => {
  const cutShort = (what: string) => ({ warnings: [`The agent ${what}: its reply may lack its end.`] });
  for (const [reason, spoken, silent] of [
    ["end_turn", replied("So far."), failed("the agent gave no reply")],
    ["refusal", failed("the agent refused to answer"), failed("the agent refused to answer")],
    ["cancelled", failed("the agent broke off its turn", true), failed("the agent broke off its turn", true)],
    [
      "max_tokens",
      replied("So far.", cutShort("reached its limit of tokens")),
      failed("the agent reached its limit of tokens before it replied"),
    ],
    [
      "max_turn_requests",
      replied("So far.", cutShort("reached its limit of steps")),
      failed("the agent reached its limit of steps before it replied"),
    ],
  ] as const) {
    const outcomes = [run("stop", reason), run("stop", reason, { prompt: "silent" })];
    assert.deepEqual(await Promise.all(outcomes), [spoken, silent], reason);
  }
});

test("an error is a failure in the agent's words", async () => {
  const error = (detail: string) => run("error", detail);
  assert.deepEqual(
    await error(""),
    failed("the agent answered with an error: Internal error: the model is busy", true),
  );
  assert.deepEqual(await error("invalid"), failed("the agent answered with an error: Invalid params"));
  assert.deepEqual(
    await error("auth"),
    failed("the agent wants to be signed in: start it once by hand, as the gateway's user"),
  );
});

test("a program that ends in the middle of a run may pass, and the report says that a tool had started", async () => {
  const reason = "the command ended with exit code 3 in the middle of the turn: out of luck";
  assert.deepEqual(await run("crash"), failed(reason, true, { toolsUsed: ["edit"], acted: true }));
});

test("a program that falls silent in the middle of a run is ended", { timeout: 60_000 }, async () => {
  assert.deepEqual(
    await run("silence"),
    failed("the command closed its output in the middle of the turn", true),
  );
});

test("a reply that does not end is a failure", { timeout: 60_000 }, async () => {
  assert.deepEqual(await run("long"), failed("the agent's reply has more than 1048576 characters"));
});

for (const [what, script, reason, mayPass] of [
  [
    "ends at once",
    "echo no >&2; exit 3",
    "the command ended with exit code 3 before it spoke ACP: no",
    false,
  ],
  ["ends well", "echo hello", "the command ended with exit code 0 before it spoke ACP", false],
  ["is killed", "kill -9 $$", "the command was ended by SIGKILL before it spoke ACP", true],
  ["prints without end", "yes 2>/dev/null", "the command /bin/sh does not speak ACP", false],
  [
    "prints one line without end",
    "(yes | tr -d '\\n') 2>/dev/null",
    "the command /bin/sh does not speak ACP",
    false,
  ],
  ["repeats what it hears", "cat", 'the agent answered with an error: "Method not found": initialize', false],
] as const)
  test(`a program that does not speak ACP and ${what} is a failure`, { timeout: 60_000 }, async () => {
    assert.deepEqual(await shell(script).run(contractInput(), going()), failed(reason, mayPass));
  });

test("a program that says nothing, or speaks another version, is given up", { timeout: 60_000 }, async () => {
  const mute = await shell("sleep 600", 200).run(contractInput(), going());
  assert.deepEqual(mute, failed("the command /bin/sh does not speak ACP"));
  const other = await run("version");
  assert.deepEqual(other, failed(`the command ${process.execPath} does not speak ACP`));
});

const processesIn = (file: string): number[] => readFileSync(file, "utf8").trim().split(" ").map(Number);

test("stopped, an agent that cancels and its program are gone", async () => {
  const file = join(folder, "cancelling");
  const stop = new AbortController();
  const outcome = behaving("endless", file).run(contractInput(), stop.signal);
  await eventually(() => existsSync(file), "the turn");
  stop.abort();
  assert.deepEqual(await outcome, stopped);
  assert.ok(!processesIn(file).some(isAlive));
});

test("an agent that ignores being stopped is killed with its children", async () => {
  const file = join(folder, "deaf");
  const stop = new AbortController();
  const agent = createAcpAgent({ ...base, args: [fixture, "deaf", file] });
  const outcome = agent.run(contractInput(), stop.signal);
  await eventually(() => existsSync(file), "the turn");
  const processes = processesIn(file);
  assert.equal(processes.filter(isAlive).length, 2);
  stop.abort();
  assert.deepEqual(await outcome, stopped);
  await eventually(() => !processes.some(isAlive), "the end of every process");
});

test("after the run nothing is left of it", async () => {
  const file = join(folder, "leaving");
  assert.deepEqual(await run("leaving", file), replied("Done."));
  const processes = processesIn(file);
  assert.equal(processes.length, 2);
  await eventually(() => !processes.some(isAlive), "the end of every process");
});

test("a gateway that is killed leaves nothing running", async () => {
  const file = join(folder, "orphan");
  const config = JSON.stringify({ ...base, args: [fixture, "deaf", file] });
  const input = JSON.stringify(contractInput());
  const script = `import { createAcpAgent } from ${JSON.stringify(join(import.meta.dirname, "acp.ts"))};
    await createAcpAgent(${config}).run(${input}, new AbortController().signal);`;
  const gateway = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  await eventually(() => existsSync(file), "the turn");
  const processes = processesIn(file);
  assert.equal(processes.filter(isAlive).length, 2);
  gateway.kill("SIGKILL");
  await eventually(() => !processes.some(isAlive), "the end of every process");
});
