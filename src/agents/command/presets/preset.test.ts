// What holds for every preset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { optionsWith } from "../../../../test/fixtures/preset.ts";
import { presets } from "./index.ts";
import { effortOf, optionsOf } from "./options.ts";
import { nothingSeen, type Preset } from "./preset.ts";

const { claude, codex, gemini } = presets;

test("an unknown event is ignored", () => {
  for (const preset of Object.values(presets)) {
    const next = preset.readerFor(optionsWith());
    for (const event of [null, 1, "x", [], {}, { type: "result" }, { type: "init", session_id: 5 }])
      assert.deepEqual(next(nothingSeen, event), nothingSeen);
  }
});

test("thinking is rounded to a level that the program takes, with a warning", () => {
  const table = (preset: Preset, ...levels: string[]) =>
    levels.map((level) => {
      const { effort, warning } = effortOf(preset, level);
      return [effort, warning !== null];
    });
  const levels = ["off", "none", "minimal", "low", "med", "medium", "HIGH", "xhigh", "max", "lots"];
  assert.deepEqual(table(claude, ...levels), [
    [null, true],
    [null, true],
    ["low", true],
    ["low", false],
    ["medium", false],
    ["medium", false],
    ["high", false],
    ["xhigh", false],
    ["max", false],
    [null, true],
  ]);
  assert.deepEqual(table(codex, "off", "minimal", "xhigh", "max"), [
    ["none", false],
    ["minimal", false],
    ["xhigh", false],
    ["xhigh", true],
  ]);
  assert.deepEqual(table(gemini, "low"), [[null, true]]);
  assert.deepEqual(effortOf(gemini, null), { effort: null, warning: null });
  assert.equal(effortOf(codex, "max").warning, 'Thinking "max" was sent to codex as "xhigh".');
});

test("the maker before a model's name is left out, and a name cannot be an option", () => {
  const model = (preset: Preset, name: string) =>
    optionsOf(
      { preset, given: {}, config: { args: [] } },
      { model: name, thinking: null, conversation: null },
    ).options.model;
  assert.equal(model(claude, "anthropic/claude-opus-5"), "claude-opus-5");
  assert.equal(model(codex, "openai/gpt-5"), "gpt-5");
  assert.equal(model(gemini, "google/gemini-3-pro"), "gemini-3-pro");
  assert.equal(model(codex, "qwen/qwen3"), "qwen/qwen3");
  for (const preset of Object.values(presets)) {
    const args = preset.argumentsFor(optionsWith({ model: "--yolo" }));
    assert.ok(args.includes("--model=--yolo") && !args.includes("--yolo"));
  }
});

test("no preset skips a permission by itself", () => {
  for (const preset of Object.values(presets)) {
    const args = preset.argumentsFor(optionsWith({ model: "m", effort: "low", session: "s" })).join(" ");
    assert.doesNotMatch(args, /yolo|danger|bypass|allow|approv|permission|full-auto|write/);
  }
});
