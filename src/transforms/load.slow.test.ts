// Which modules can be used, and what is reported about the others.
import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, faultsOf, folderWith, open, opened, reference } from "../../test/fixtures/transforms.ts";

const changed = (value: Record<string, unknown>) => [{ kind: "changed", value }];

test("without references there is nothing to start and nothing to run", async (context) => {
  const transforms = await opened(context, "/nowhere", []);
  const fault = await transforms.run(reference("a.ts"), [call()]);
  assert.deepEqual(fault, { kind: "failed", reason: "a.ts is not loaded" });
});

test("the named export, else the default export, else `transform`", async (context) => {
  const folder = folderWith({
    "both.ts": `export const transform = () => ({ name: "transform" });
      export const other = () => ({ name: "other" });
      export default () => ({ name: "default" });`,
    "only.mjs": `export function transform() { return { name: "transform" }; }`,
    "old.js": `module.exports = () => ({ name: "required" });`,
    "older.js": `exports.transform = () => ({ name: "required transform" });`,
  });
  const references = [
    reference("both.ts"),
    reference("both.ts", "other"),
    reference("only.mjs"),
    reference("old.js"),
    reference("older.js"),
  ];
  const transforms = await opened(context, folder, [], { references });
  const results = await Promise.all(references.map((each) => transforms.run(each, [call()])));
  const names = ["default", "other", "transform", "required", "required transform"];
  assert.deepEqual(
    results,
    names.map((name) => changed({ name })),
  );
});

test("all faults are reported at once", async () => {
  const folder = folderWith({
    "good.ts": "export default () => {};",
    "named.ts": "export const first = () => {}; export const second = 2;",
    "empty.ts": "export {};",
    "value.ts": "export default 42;",
    "throws.ts": "throw new TypeError('at\\nthe top');",
    "syntax.ts": "const fine = 1;\nexport default (=>;",
    "package.ts": "import nothing from 'no-such-package'; export default nothing;",
  });
  const references = [
    reference("good.ts"),
    reference("named.ts"),
    reference("named.ts", "third"),
    reference("named.ts", "second"),
    reference("empty.ts"),
    reference("value.ts"),
    reference("throws.ts"),
    reference("syntax.ts"),
    reference("package.ts"),
    reference("../up.ts"),
    reference("gone.ts"),
  ];
  const result = await open(folder, [], { references: [...references, reference("gone.ts")] });
  assert.ok(!result.ok);
  assert.deepEqual(
    result.faults.map((fault) => fault.reference),
    references.slice(1),
  );
  const expected = [
    /^named\.ts has no default export: it exports first, second\.$/,
    /^named\.ts has no export named third: it exports first, second\.$/,
    /^named\.ts: its export named second is a number, not a function\.$/,
    /^empty\.ts has no default export: it exports nothing\.$/,
    /^value\.ts: its default export is a number, not a function\.$/,
    /^throws\.ts cannot be loaded: TypeError: at the top\.$/,
    /^syntax\.ts cannot be loaded: SyntaxError: .* \(line 2\)\.$/,
    /^package\.ts cannot be loaded: Error: Cannot find package 'no-such-package'/,
    /^\.\.\/up\.ts is not a path inside/,
    /^There is no gone\.ts/,
  ];
  for (const [index, { message }] of result.faults.entries()) assert.match(message, expected[index] ?? /^$/);
});

test("a link out of the folder, and a missing folder, are faults", async () => {
  const root = folderWith({ "outside.ts": "export default () => {};", "transforms/a.ts": "" });
  symlinkSync(join(root, "outside.ts"), join(root, "transforms", "link.ts"));
  const [fault = ""] = await faultsOf(join(root, "transforms"), ["link.ts"]);
  assert.match(fault, /leads out of the transforms folder/);
  assert.match((await faultsOf(join(root, "gone"), ["a.ts"]))[0] ?? "", /transforms folder is not there/);
});

test(".ts files are ES modules even below a package.json that says commonjs", async (context) => {
  const root = folderWith({
    "package.json": '{ "type": "commonjs" }',
    "transforms/a.ts": `import { type Transform } from "rouse/transform";
      import { suffix } from "./words.ts";
      import { basename } from "node:path";
      const transform: Transform = ({ path }) => ({ name: basename(path) + suffix });
      export default transform;`,
    "transforms/words.ts": 'export const suffix: string = "!";',
    "transforms/module.js": "export default () => null;",
  });
  const folder = join(root, "transforms");
  const transforms = await opened(context, folder, ["a.ts"]);
  assert.deepEqual(await transforms.run(reference("a.ts"), [call()]), changed({ name: "build!" }));
  assert.match((await faultsOf(folder, ["module.js"]))[0] ?? "", /name it \.mjs, or set "type": "module"/);
});

test("without a package.json the syntax decides what .js is; with type module it is a module", async () => {
  const text = "export default () => null;";
  assert.deepEqual(await faultsOf(folderWith({ "a.js": text }), ["a.js"]), []);
  const typed = folderWith({ "package.json": '{ "type": "module" }', "a.js": text });
  assert.deepEqual(await faultsOf(typed, ["a.js"]), []);
});

test("a type import needs no installed package", async () => {
  const text =
    'import type { Transform } from "rouse/transform"; export const transform: Transform = () => null;';
  assert.deepEqual(await faultsOf(folderWith({ "a.ts": text }), ["a.ts"]), []);
});

test("a new pool sees an edited file, and an edited file that it imports", async (context) => {
  const text = 'import { word } from "./word.ts"; export default () => ({ name: word + "one" });';
  const folder = folderWith({ "a.ts": text, "word.ts": 'export const word = "old ";' });
  const before = await opened(context, folder, ["a.ts"]);
  writeFileSync(join(folder, "a.ts"), text.replace("one", "two"));
  writeFileSync(join(folder, "word.ts"), 'export const word = "new ";');
  const after = await opened(context, folder, ["a.ts"]);
  assert.deepEqual(await before.run(reference("a.ts"), [call()]), changed({ name: "old one" }));
  assert.deepEqual(await after.run(reference("a.ts"), [call()]), changed({ name: "new two" }));
});

test("a module that never finishes loading or ends its process is a fault", async () => {
  const folder = folderWith({
    "fine.ts": "export default () => {};",
    "wrong.ts": "export default 1;",
    "loop.ts": "for (;;);",
    "pending.ts": "await new Promise(() => {}); export default () => {};",
    "exit.ts": "process.exit(0);",
  });
  const limits = { loadTimeoutMs: 4_000 };
  const faults = await faultsOf(folder, ["fine.ts", "wrong.ts", "loop.ts"], { limits });
  assert.deepEqual(faults, [
    "wrong.ts: its default export is a number, not a function.",
    "loop.ts cannot be loaded: it took longer than 4000 ms.",
  ]);
  const pending = await faultsOf(folder, ["pending.ts"], { limits });
  assert.deepEqual(pending, ["pending.ts cannot be loaded: it took longer than 4000 ms."]);
  const [exit = ""] = await faultsOf(folder, ["fine.ts", "exit.ts"]);
  assert.equal(exit, "exit.ts cannot be loaded: it ended its process, as process.exit() does.");
});
