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

test("codex gets its server's address as an option, the others in their variable", () => {
  const optionsFor = (preset: Preset, given: Record<string, string>) => {
    const input = { model: null, thinking: null, conversation: null };
    const { options, warnings } = optionsOf({ preset, given, config: { args: ["--own"] } }, input);
    return { args: preset.argumentsFor(options), warnings };
  };
  const address = 'http://127.0.0.1:1/"v1"';
  const { args, warnings } = optionsFor(codex, { OPENAI_BASE_URL: address });
  const at = args.indexOf('--config=openai_base_url="http://127.0.0.1:1/\\"v1\\""');
  assert.ok(at !== -1 && at < args.indexOf("--own"), args.join(" "));
  assert.deepEqual(warnings, []);
  for (const given of [{}, { OPENAI_BASE_URL: " " }])
    assert.doesNotMatch(optionsFor(codex, given).args.join(" "), /base_url/);
  for (const preset of [claude, gemini]) {
    const given = { OPENAI_BASE_URL: address, ANTHROPIC_BASE_URL: address, GOOGLE_GEMINI_BASE_URL: address };
    assert.doesNotMatch(optionsFor(preset, given).args.join(" "), /127/);
  }
});

test("an address with a password in it never stands in the arguments", () => {
  const input = { model: null, thinking: null, conversation: null };
  for (const [written, why] of [
    ["https://me:hush@models.test/v1", "it has a user name or a password in it"],
    ["hush", "it is no address"],
  ] as const) {
    const program = { preset: codex, given: { OPENAI_BASE_URL: written }, config: { args: [] } };
    const { options, warnings } = optionsOf(program, input);
    assert.doesNotMatch(codex.argumentsFor(options).join(" "), /hush|base_url/);
    assert.deepEqual(warnings, [`OPENAI_BASE_URL was not given to codex: ${why}.`]);
  }
});
