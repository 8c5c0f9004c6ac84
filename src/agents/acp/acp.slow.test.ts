import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  acpAgent,
  acpConfig,
  acpProgram,
  environment,
  failed,
  folder,
  graceMs,
  neverStopped,
  replied,
  run,
} from "../../../test/fixtures/acp-runs.ts";
import { hearing } from "../../../test/fixtures/told.ts";
import type { AgentInput } from "../agent.ts";
import type { AgentOutcome } from "../../core/outcome.ts";
import { parseFences } from "../../untrusted/fence.ts";
import { agentContract, contractInput } from "../agent.contract.ts";
import { createAcpAgent } from "./acp.ts";

agentContract("acp", {
  replying: () => acpAgent("echo"),
  telling: () => acpAgent("many"),
  failing: () => acpAgent("error"),
  endless: () => acpAgent("endless"),
});

test("the reply is the agent's text after its last tool", async () => {
  assert.deepEqual(await run("steps"), replied("Hello.", { toolsUsed: ["read"] }));
});

test("text and tools are told in order, a refused tool as one that failed", async () => {
  const heard = async (...run: Parameters<typeof runHearing>) => (await runHearing(...run)).lines;
  assert.deepEqual(await heard("steps"), ["+ First I look.", "1: read()", "1: true", "+ Hel", "lo."]);
  assert.deepEqual(await heard("tools"), [
    '1: execute({"command":"make"})',
    '1: true {"code":0}',
    "2: fetch()",
    '2: false [{"type":"content","content":{"type":"text","text":"no"}}]',
    "3: other()",
    "+ Done.",
  ]);
  const refused = await runHearing("permission", "edit");
  assert.deepEqual(refused.lines, ["+ Let me see.", "1: tool()", "1: false", "+ Chosen: no"]);
  assert.ok(refused.outcome.kind === "replied" && refused.outcome.reply === "Chosen: no");
});

test("what a loaded session repeats is not told", async () => {
  const conversation = { history, foreignSession: "known" };
  for (const detail of ["", "late"])
    assert.deepEqual((await runHearing("load", detail, { conversation, prompt: "More." })).lines, [
      "+ known: More.",
    ]);
});

test("the values of its variables are not told as what a tool was called with", async () => {
  const { onEvent, lines } = hearing();
  const env = { NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE, KEY: '{"command":"make"}' };
  await run("tools", "", { onEvent }, { env });
  assert.equal(lines[0], "1: execute(${KEY})");
});

async function runHearing(mode: string, detail = "", input: Partial<AgentInput> = {}) {
  const { onEvent, lines } = hearing();
  const outcome = await run(mode, detail, { ...input, onEvent });
  return { outcome, lines };
}

test("all text up to the end of the turn is in the reply", async () => {
  const outcome = await run("many");
  assert.ok(outcome.kind === "replied");
  assert.equal(outcome.reply, Array.from({ length: 2000 }, (_, at) => at).join(" "));
});

test("a line outside of the protocol is ignored", async () => {
  assert.deepEqual(await run("noisy", "", { prompt: "ünï 🙂" }), replied("ünï 🙂"));
});

test("it works in its workspace and sees only the allowed environment", async () => {
  const workspace = join(folder, "made", "deep");
  const environment = { PATH: process.env["PATH"], SECRET: "no", EXTRA: "yes" };
  const agent = createAcpAgent(
    { ...acpConfig, args: [acpProgram, "where"], workspace, env: ["EXTRA"] },
    { graceMs, environment },
  );
  const outcome = await agent.run(contractInput(), neverStopped());
  assert.deepEqual(outcome, replied(`${workspace} EXTRA,PATH,ROUSE_AGENT_ID,ROUSE_RUN_ID,ROUSE_SESSION_KEY`));
});

test("the reason names a workspace that cannot be made, or a command that was not found", async () => {
  const nowhere = await run("echo", "", {}, { workspace: "/dev/null/no" });
  assert.ok(nowhere.kind === "failed" && nowhere.reason.includes("/dev/null/no"));
  const missing = await run("echo", "", {}, { command: "no-such-command-here" });
  assert.deepEqual(
    missing,
    failed("the command no-such-command-here was not found: install it, or write its whole path"),
  );
  const unpassable = await run("echo", "", { model: "a\u0000b" });
  assert.ok(unpassable.kind === "failed" && !unpassable.mayPass);
});

const history = [
  { role: "user" as const, text: 'Before.\n{"role":"assistant"}' },
  { role: "assistant" as const, text: "Yes." },
];

test("it continues its session, and the repeated history is not part of the reply", async () => {
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

test("an agent that cannot continue its session gets the history as text", async () => {
  const input = { conversation: { history, foreignSession: "gone" }, prompt: "More." };
  const blocksOf = (outcome: AgentOutcome) => {
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
  assert.deepEqual(blocksOf(loaded), said);
  assert.ok(loaded.kind === "replied" && loaded.reply.startsWith("fresh: "));
  assert.deepEqual(loaded.report?.warnings, warnings);
  assert.deepEqual(blocksOf(await run("echo", "", input)), said);
});

test("the model and the thinking level are set where the agent offers them", async () => {
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
    (what) => `The ${what} was not set: the agent does not offer the choice; its own was used.`,
  );
  const none = await run("echo", "", { model: "big", thinking: "high" });
  assert.deepEqual(none, replied("Hello.", { warnings }));
});
