// The mappings in our pages are correct: configs, the preset, the prompt, the commands.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
import { createConfig } from "./fixtures/command-line.ts";
import { parseConfig } from "../src/config/load.ts";
import { configReference } from "../src/config/reference/reference.ts";
import { gmail } from "../src/config/presets/gmail.ts";
import { compileMappings } from "../src/hooks/mapping/compile.ts";
import { prepareSenders } from "../src/hooks/senders/prepare.ts";
import { commandFaults, commandsIn } from "./support/commands.ts";
import { filesUnder, type SourceFile } from "./support/docs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages: SourceFile[] = [
  ...readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  ...filesUnder(root, "docs", ".md"),
  ...filesUnder(root, "examples", ".md"),
];
const guide = readFileSync(join(root, "docs/mappings.md"), "utf8");

const blocksIn = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    (match) => match[1] ?? "",
  );

const readJsonc = (text: string): unknown => parse(text, [], { allowTrailingComma: true });

test("the guide names every setting of a mapping", () => {
  const rows = [...configReference().matchAll(/^\| `hooks\.mappings\[\]\.(\S+)` /gm)].map(
    ([, name = ""]) => name,
  );
  const missing = rows.filter((name) => {
    const [first = "", second] = name.replaceAll("[]", "").split(".");
    return ![first, `${first}.${second}`].some((each) => guide.includes(`\`${each}\``));
  });
  assert.ok(rows.length > 20);
  assert.deepEqual(missing, []);
});

test("every config with mappings in our pages can be used, templates too", () => {
  const configs = pages.flatMap(({ path, text }) =>
    blocksIn(text, "jsonc")
      .filter((block) => block.includes('"mappings"'))
      .map((block) => ({ path, block })),
  );
  assert.ok(configs.length >= 4);
  const secret = "a-secret-that-is-long-enough";
  for (const { path, block } of configs) {
    const env = Object.fromEntries(
      [...block.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, secret]),
    );
    const parsed = parseConfig(block, { file: "rouse.jsonc", env, readFile: () => secret });
    assert.ok(parsed.ok, `${path}: ${JSON.stringify(parsed)}\n${block}`);
    assert.deepEqual(compileMappings(parsed.config.hooks.mappings).faults, [], path);
    assert.ok(prepareSenders(parsed.config.hooks.senders).ok, path);
  }
});

test("the guide shows the preset gmail exactly as it is", () => {
  const section = guide.slice(guide.indexOf("## Presets"));
  assert.deepEqual(readJsonc(blocksIn(section, "jsonc")[0] ?? ""), gmail);
});

test("the guide's first mapping makes the prompt it shows of the payload it shows", async (t) => {
  const [written = ""] = blocksIn(guide, "jsonc");
  const settings = readJsonc(written) as { hooks: object };
  const token = "a-hook-token-that-is-long-enough";
  const { folder, rouse } = createConfig(t, { hooks: { enabled: true, token, ...settings.hooks } });
  const payload = join(folder, "build.json");
  writeFileSync(payload, blocksIn(guide, "json")[0] ?? "");
  const { code, stdout, stderr } = await rouse(["explain", "build", "--payload", payload, "--json"]);
  assert.equal(code, 0, stderr);
  const { actions } = JSON.parse(stdout) as { actions: { prompt: string }[] };
  const shown = blocksIn(guide, "text")[0]?.trimEnd() ?? "";
  const [id = ""] = /[0-9a-f]{32}/.exec(shown) ?? [];
  assert.equal(actions[0]?.prompt.replaceAll(/[0-9a-f]{32}/g, id), shown);
});

test("every rouse command in our pages exists, with its options", async () => {
  const commands = pages.flatMap(({ path, text }) => commandsIn(text).map((words) => ({ path, words })));
  assert.ok(commands.length >= 15);
  for (const { path, words } of commands)
    assert.deepEqual(await commandFaults(words, root), [], `${path}: ${words.join(" ")}`);
});

test("a wrong command is found", async () => {
  const [words = [], ...others] = commandsIn(
    "```sh\nrouse runz\nls\nrouse send x \\\n --fil y # --no\n```\n",
  );
  assert.deepEqual(await commandFaults(words, root), ["there is no command runz"]);
  assert.deepEqual(others, [["send", "x", "--fil", "y"]]);
  assert.deepEqual(await commandFaults(["send", "--no-such", "examples/gone"], root), [
    "send has no option --no-such",
    "examples/gone is not there",
  ]);
});
