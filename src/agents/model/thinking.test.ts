import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../../test/fakes/clock.ts";
import { capturingFetch, startServer } from "../../../test/fixtures/model-server.ts";
import { levelOf } from "./thinking.ts";

const { server, run } = await startServer();
server.onMessage("think", { content: "Done." });

test("common words are thinking levels", () => {
  const level = (word: string) => levelOf(word, "openai").level;
  assert.deepEqual(["off", "none", "minimal", "low", "med", "medium", "HIGH", "xhigh", "max"].map(level), [
    "none",
    "none",
    "minimal",
    "low",
    "medium",
    "medium",
    "high",
    "xhigh",
    "max",
  ]);
  assert.deepEqual(levelOf(null, "openai"), { level: null, warning: null });
});

test("an unknown word is left out with a warning", async () => {
  const { sent, fetch } = capturingFetch();
  const outcome = await run("think", { fetch }, { thinking: "ultra" });
  assert.equal(outcome.kind, "replied");
  assert.match(outcome.report?.warnings?.[0] ?? "", /^thinking "ultra" is not known/);
  assert.ok(!("reasoning_effort" in sent[0]!.body));
});

/** On a slow machine the server may close an idle connection just as it is used again: that may pass. */
const requestOf = async (model: string, thinking: string | null) => {
  const { sent, fetch } = capturingFetch();
  const ask = () => run("think", { fetch }, { model, thinking });
  let outcome = await ask();
  if (outcome.kind === "failed" && outcome.mayPass) outcome = await ask();
  assert.equal(outcome.kind, "replied", JSON.stringify(outcome));
  return { body: sent[0]!.body, warnings: outcome.report?.warnings ?? [] };
};

/** The field that each server reads. */
const settingIn = ({
  reasoning_effort,
  reasoning,
  thinking,
  output_config,
  generationConfig,
}: Record<string, unknown>) =>
  JSON.stringify({ reasoning_effort, reasoning, thinking, output_config, generationConfig });

for (const [model, expected] of [
  ["local/small", { reasoning_effort: "high" }],
  ["openai/gpt-5.4", { reasoning: { effort: "high", summary: "detailed" } }],
  [
    "anthropic/claude-opus-4-6",
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
  ],
  ["anthropic/claude-sonnet-4-20250514", { thinking: { type: "enabled", budget_tokens: 38400 } }],
  ["google/gemini-3-pro", { generationConfig: { thinkingConfig: { thinkingLevel: "high" } } }],
  ["google/gemini-2.5-flash", { generationConfig: { thinkingConfig: { thinkingBudget: 24576 } } }],
] as const)
  test(`"high" for ${model}`, async () => {
    const { body, warnings } = await requestOf(model, "high");
    assert.equal(settingIn(body), JSON.stringify(expected));
    assert.deepEqual(warnings, []);
  });

for (const model of ["local/small", "openai/gpt-5.4", "anthropic/claude-opus-4-6", "google/gemini-3-pro"])
  test(`${model} gets no thinking setting when the run names none`, async () => {
    const { body } = await requestOf(model, null);
    assert.equal(
      /think|reason|effort/i.test(settingIn(body).replaceAll('"generationConfig":{}', "")),
      false,
      settingIn(body),
    );
  });

test("a level that is rounded gives a warning, and the library prints none of its own", async (context) => {
  const printed: string[] = [];
  const listen = ({ message }: Error) => void printed.push(message);
  process.on("warning", listen);
  context.after(() => process.off("warning", listen));
  const compatible = await requestOf("local/small", "max");
  assert.equal(compatible.body["reasoning_effort"], "high");
  assert.match(compatible.warnings.join(), /^thinking "max" was sent as "high"/);
  const google = await requestOf("google/gemini-3-pro", "max");
  assert.match(settingIn(google.body), /"thinkingLevel":"high"/);
  assert.match(google.warnings.join(), /^thinking: .*"max".*"high"/);
  await settled();
  assert.deepEqual(printed, []);
});
