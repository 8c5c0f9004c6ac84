// The scripts in the shells themselves. Bash is on every machine that runs these tests. Zsh and fish are tried where
// they are installed; what their scripts are made of is checked everywhere.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createTestContext } from "../../../test/fixtures/command-line.ts";
import { aFile, type Complete, isInstalled, shells, syntaxFault } from "../../../test/fixtures/shells.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { loadAll } from "../catalogue.ts";
import { dispatch } from "../dispatch.ts";
import { choicesOf, treeOf, wordOf } from "./tree.ts";

async function scriptFor(shell: string): Promise<string> {
  const { context, written } = createTestContext(["completion", shell]);
  assert.equal(await dispatch(context), 0, written.stderr);
  return written.stdout;
}

function createFolder(t: TestContext): string {
  const folder = makeFolder("completion");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, aFile), "{}");
  return folder;
}

const nodes = treeOf(await loadAll());
const wordsOf = (path: string): string[] => path.split(" ").filter((word) => word !== "");

function proposesAll(complete: Complete): void {
  const words = complete(nodes.map(({ path }) => [...wordsOf(path), ""]));
  const options = complete(nodes.map(({ path }) => [...wordsOf(path), "--"]));
  for (const [at, node] of nodes.entries()) {
    assert.deepEqual(words[at]?.toSorted(), node.words.map(wordOf).toSorted(), `after "${node.path}"`);
    assert.deepEqual(options[at]?.toSorted(), node.options.map(wordOf).toSorted(), `"${node.path} --"`);
  }
  const choices = choicesOf(nodes);
  const values = complete(choices.map(({ path, option }) => [...wordsOf(path), option, ""]));
  for (const [at, choice] of choices.entries())
    assert.deepEqual(values[at]?.toSorted(), choice.values.toSorted(), `"${choice.path} ${choice.option}"`);
}

/** A command line, and what is proposed for its last word. */
const lines: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["ru"], ["runs"]],
  [["help", "to"], ["token"]],
  [
    ["runs", "re"],
    ["release", "retry"],
  ],
  [["runs", "--limit", "5", "sh"], ["show"]],
  [["runs", "--limit=5", "sh"], ["show"]],
  [["runs", "--json", "sh"], ["show"]],
  [["runs", "--kind=he"], ["heartbeat"]],
  [["runs", "--kind", "he"], ["heartbeat"]],
  [["runs", "--limit", ""], []],
  [["runs", "show", "0198c0de", ""], []],
  [["runs", "show", "0198c0de", "--js"], ["--json"]],
  [["send", "github", "w"], []],
  [["send", "github", "--fi"], ["--file"]],
  [["send", "github", "--file", "pay"], [aFile]],
  [["send", "github", "--file=pay"], [aFile]],
  [["send", "agent", "--", "--fi"], []],
  [["sessions", "target", "tele"], ["telegram"]],
  [["nothing", ""], []],
];

for (const shell of shells)
  test(`${shell.name} proposes what there is`, async (t) => {
    const script = await scriptFor(shell.name);
    for (const word of new Set(nodes.flatMap(({ words, options }) => [...words, ...options]).map(wordOf)))
      assert.ok(script.includes(word.replace(/^--/, "")), word);
    if (!isInstalled(shell.name)) {
      assert.notEqual(shell.name, "bash");
      t.diagnostic(`${shell.name} is not installed: its script was read, not run`);
      return;
    }
    const folder = createFolder(t);
    const file = join(folder, "script");
    writeFileSync(file, script);
    assert.equal(syntaxFault(shell.name, file), "");
    const complete = shell.run(script, folder);
    proposesAll(complete);
    const proposed = complete(lines.map(([line]) => line));
    for (const [at, [line, expected]] of lines.entries())
      assert.deepEqual(proposed[at]?.toSorted(), expected, line.join(" "));
  });

test("a shell that is not named, or not known, is wrong usage", async () => {
  for (const argv of [["completion"], ["completion", "tcsh"], ["completion", "bash", "zsh"]]) {
    const { context, written } = createTestContext(argv);
    assert.equal(await dispatch(context), 2);
    assert.match(written.stderr, /bash/);
    assert.equal(written.stdout, "");
  }
});
