import assert from "node:assert/strict";
import test from "node:test";
import { commandNames, loadAll } from "../catalogue.ts";
import type { Command, Syntax } from "../command.ts";
import { descriptionIn } from "./description.ts";
import { choicesOf, fileOptions, treeOf, wordOf } from "./tree.ts";

const flagsIn = ({ options, words = {} }: Syntax): string[] => [
  ...Object.keys(options),
  ...Object.values(words).flatMap(flagsIn),
];

const unique = (words: readonly string[]): string[] => [...new Set(words)].toSorted();

test("every command is proposed, and after help as well", async () => {
  const [root, help] = treeOf(await loadAll());
  assert.deepEqual(root?.words.map(wordOf), [...commandNames, "help"]);
  assert.deepEqual(help?.words.map(wordOf), commandNames);
});

test("the options that are proposed are those that the help explains", async () => {
  for (const { name, help, syntax } of await loadAll()) {
    const explained = [...(help.split("\nExamples:")[0] ?? "").matchAll(/(?<=^|[\s[,'"])--([a-z][\w-]*)/g)];
    const own = explained.map(([, option = ""]) => option);
    assert.deepEqual(unique(own), unique(flagsIn(syntax)), name);
  }
});

test("a command refuses an option that is not in its table, with each of its words", async () => {
  const { createTestContext } = await import("../../../test/fixtures/command-line.ts");
  const { dispatch } = await import("../dispatch.ts");
  const wordsOf = (path: string): string[] => path.split(" ").filter((word) => word !== "");
  for (const { path } of treeOf(await loadAll()).filter(({ path }) => path !== "" && path !== "help")) {
    const { context, written } = createTestContext([...wordsOf(path), "--no-such-option"]);
    assert.equal(await dispatch(context), 2, path);
    assert.match(written.stderr, /There is no option --no-such-option/, path);
  }
});

test("values that are one of a few, and files, are known", async () => {
  const nodes = treeOf(await loadAll());
  const valuesOf = (path: string, option: string) =>
    choicesOf(nodes).find((choice) => choice.path === path && choice.option === option)?.values;
  assert.deepEqual(valuesOf("runs", "--kind"), ["hook", "heartbeat"]);
  assert.deepEqual(valuesOf("send wake", "--mode"), ["now", "next-heartbeat"]);
  assert.deepEqual(valuesOf("gmail setup", "--mode"), ["poll", "pull", "push"]);
  assert.equal(valuesOf("runs", "--limit"), undefined);
  assert.deepEqual(fileOptions(nodes).toSorted(), [
    "--client",
    "--config",
    "--custom",
    "--file",
    "--headers",
    "--payload",
    "--public-key-file",
    "--secret-file",
    "--service-account",
  ]);
});

const aCommand = (name: string, syntax: Syntax): Command => ({
  name,
  summary: "does something",
  help: "Usage",
  syntax,
  run: async () => 0,
});

test("what a script could not say is refused", () => {
  assert.throws(
    () => treeOf([aCommand("a", { options: { x: { type: "string", values: ["two words"] } } })]),
    /quotes/,
  );
  assert.throws(
    () =>
      treeOf([
        aCommand("a", { options: { x: { type: "string" } } }),
        aCommand("b", { options: { x: { type: "boolean" } } }),
      ]),
    /completion of "b": --x takes a value elsewhere/,
  );
});

test("descriptions are taken from the help, and shortened", () => {
  const help = `Usage: rouse x

  list          all of them, one a line; newest first
  --kind KIND   hook (default), or heartbeat
  --json         {"ok":…}
  --mode MODE   how it is done when the first line of the help does not have
                room for all of it. More
  --a NAME, --b NAME
                where it goes, such as home`;
  const cases = {
    list: "all of them, one a line",
    "--kind": "hook",
    "--json": null,
    "--mode": "how it is done when the first line of the help does not have room for…",
    "--a": "where it goes",
    "--b": null,
    gone: null,
  };
  for (const [word, description] of Object.entries(cases))
    assert.equal(descriptionIn(help, word), description, word);
});
