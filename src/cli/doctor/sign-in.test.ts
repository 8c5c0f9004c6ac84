import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { after } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { presets } from "../../agents/command/presets/index.ts";
import { type CommandPreset, commandPresets } from "../../config/config.ts";
import { findSignIn, programs } from "./sign-in.ts";

const folder = makeFolder("sign-in");
after(() => rmSync(folder, { recursive: true, force: true }));

function look(
  preset: CommandPreset,
  files: Readonly<Record<string, unknown>>,
  more: { env?: NodeJS.ProcessEnv; named?: string[]; platform?: NodeJS.Platform } = {},
) {
  const home = mkdtempSync(join(folder, "home-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  const { env = {}, named = [], platform = "linux" } = more;
  return findSignIn(preset, { env: { HOME: home, ...env }, named, now: 1000, platform });
}

test("a program that is signed out is noticed: no file, an empty one, an old one, or one that is no JSON", () => {
  for (const preset of commandPresets) assert.equal(look(preset, {}).kind, "missing", preset);
  const claude = ".claude/.credentials.json";
  for (const content of [{}, "", "{", { claudeAiOauth: {} }, { claudeAiOauth: { accessToken: "" } }])
    assert.equal(look("claude", { [claude]: content }).kind, "missing");
  const old = { claudeAiOauth: { accessToken: "a", expiresAt: 999 } };
  assert.equal(look("claude", { [claude]: old }).kind, "missing");
  const missing = look("claude", {});
  assert.ok(missing.kind === "missing" && missing.looked.includes("ANTHROPIC_API_KEY"));
  assert.equal(look("codex", { ".codex/auth.json": { OPENAI_API_KEY: null } }).kind, "missing");
  assert.equal(look("claude", {}, { platform: "darwin" }).kind, "unknown");
});

const signedIn: readonly [CommandPreset, string, unknown][] = [
  [
    "claude",
    ".claude/.credentials.json",
    { claudeAiOauth: { accessToken: "a", refreshToken: "r", expiresAt: 1 } },
  ],
  ["claude", ".claude/settings.json", { apiKeyHelper: "/bin/key" }],
  ["claude", ".claude/settings.json", { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }],
  ["claude", ".claude.json", { primaryApiKey: "k" }],
  ["codex", ".codex/auth.json", { tokens: { refresh_token: "r" } }],
  ["codex", ".codex/auth.json", { OPENAI_API_KEY: "k" }],
  ["gemini", ".gemini/oauth_creds.json", { refresh_token: "r" }],
  ["gemini", ".gemini/.env", "GEMINI_API_KEY=k"],
];

for (const [preset, file, content] of signedIn)
  test(`${preset} is signed in by ${file} with ${JSON.stringify(content).slice(0, 30)}`, () => {
    const found = look(preset, { [file]: content });
    assert.ok(found.kind === "found" && found.where.endsWith(file), JSON.stringify(found));
  });

test("variables count when the program gets them, and folders of its own are looked into", () => {
  assert.equal(look("claude", {}, { env: { ANTHROPIC_API_KEY: "k" } }).kind, "found");
  assert.equal(look("claude", {}, { env: { ANTHROPIC_API_KEY: " " } }).kind, "missing");
  const env = { CLAUDE_CODE_USE_BEDROCK: "1" };
  assert.equal(look("claude", {}, { env }).kind, "missing");
  assert.equal(look("claude", {}, { env, named: Object.keys(env) }).kind, "found");
  const own = mkdtempSync(join(folder, "own-"));
  writeFileSync(join(own, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "k" }));
  assert.equal(look("codex", {}, { env: { CODEX_HOME: own } }).kind, "found");
});

test("every variable that counts is one that the preset passes on", () => {
  for (const preset of commandPresets)
    for (const name of programs[preset].variables) assert.ok(presets[preset].env.includes(name), name);
});
