// Every regular expression of ours, against texts made from the pattern itself to make it work hard: its work must
// grow with the text, not with the text's square. Nothing is excepted: a pattern for texts that are short today is
// used for longer ones tomorrow.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { attacksOn } from "./support/pattern-attacks.ts";
import { assertPatternLinear } from "./support/pattern-growth.ts";
import { literalsIn } from "./support/pattern-source.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = globSync("src/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/\.(?:test|contract)\.ts$/.test(file))
  .toSorted()
  .map((file) => ({ file, code: readFileSync(`${root}/${file}`, "utf8") }));

/** Patterns that a function builds, as it builds them. Those that a module builds are found when it is loaded. */
const builtByFunctions: Readonly<Record<string, RegExp>> = {
  "src/api/frame/route.ts": /^\/sessions\/([^/]+)\/([^/]+)\/turns$/,
  "src/gmail-setup/goal.ts": /^projects\/([^/]+)\/topics\/([^/]+)$/,
  "src/html/tokens.ts": /<\/style(?=[\s/>])/gi,
};

for (const { file, code } of files) {
  const literals = literalsIn(code);
  if (literals.length === 0) continue;
  test(`the patterns of ${file}`, () => {
    for (const { source, flags } of literals) assertPatternLinear(new RegExp(source, flags));
  });
}

for (const [file, pattern] of Object.entries(builtByFunctions))
  test(`the pattern that ${file} builds`, () => assertPatternLinear(pattern));

for (const { file, code } of files) {
  const count = code.split("new RegExp(").length - 1;
  if (count === 0 || file in builtByFunctions) continue;
  test(`the patterns that ${file} builds when it is loaded`, async () => {
    const built = await patternsBuiltBy(file);
    assert.equal(built.length, count, "a function builds a pattern: name it in builtByFunctions");
    for (const pattern of built) assertPatternLinear(pattern);
  });
}

async function patternsBuiltBy(file: string): Promise<RegExp[]> {
  const built: RegExp[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args: [string, string?]) {
      const pattern = new target(...args);
      built.push(pattern);
      return pattern;
    },
  });
  try {
    // What it imports has been loaded before, by the first import.
    await import(pathToFileURL(`${root}/${file}`).href);
    built.length = 0;
    await import(`${pathToFileURL(`${root}/${file}`).href}?again`);
  } finally {
    globalThis.RegExp = Original;
  }
  return built;
}

test("literals are told from divisions, texts and comments", () => {
  const code = [
    "const a = 4 / 2 / 1; // a /b/",
    'const b = "/x/" + `/${/in/.source}/` + c.replace(/[/"]\\/x/gu, "");',
    "/* /y/ */ return /z$/.test(d[0] / 2) / 3;",
  ];
  assert.deepEqual(
    literalsIn(code.join("\n")).map(({ source, flags, line }) => `${line}:${source}:${flags}`),
    ["2:in:", '2:[/"]\\/x:gu', "3:z$:"],
  );
  assert.ok(files.flatMap(({ code: each }) => literalsIn(each)).length > 250);
});

test("patterns whose work grows too fast are found", () => {
  for (const pattern of [
    /^[ \t]*(?:```|~~~)[ \t]*[\w-]*[ \t]*$/m,
    /\s*\n/g,
    /\/+$/,
    /<[^>]*>/g,
    /<!--[^]*?-->/g,
    /^(?:a+)+$/,
    /^(?:[a-z]+\s?)*;$/,
    /^[^\s@;]+@[^\s@;]+\.[^\s@;]+$/,
    /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/,
    /(?:x|[[a-z]--[q]]){2,}!/v,
  ])
    assert.throws(() => assertPatternLinear(pattern), /times the input/, String(pattern));
});

test("patterns whose work grows with the text are not", () => {
  for (const pattern of [/^a*b*c$/, /(?<!\s)\s+$/, /[a-z]+/g, /<[^<>]*>/g, /"(?:[^"\\]|\\.)*"/y])
    assert.doesNotThrow(() => assertPatternLinear(pattern), String(pattern));
  assert.ok(attacksOn("^a(?:b|c)*d", "").some(({ prefix, pump }) => prefix === "a" && pump === "c"));
});
