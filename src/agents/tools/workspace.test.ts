import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { mostListed } from "./list.ts";
import { pageBytes, wholeCharacters } from "./read.ts";
import { largestSearched, mostFound } from "./search.ts";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";
import { workspaceTools } from "./workspace.ts";
import { largestWritten } from "./write.ts";

const folder = makeFolder("workspace");
after(() => rmSync(folder, { recursive: true, force: true }));

function workspace(files: Record<string, string | Buffer> = {}) {
  const root = mkdtempSync(join(folder, "w-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, tools: workspaceTools(root, openGate()) };
}

test("read gives a text file as it is", async () => {
  const { tools } = workspace({ "a/notes.md": "# Ünï 🙂\r\n\ttext\n", empty: "" });
  assert.equal(await call(tools.read, { path: "a/notes.md" }), "# Ünï 🙂\r\n\ttext\n");
  assert.equal(await call(tools.read, { path: "empty" }), "The file is empty.");
});

test("a refusal of read says what to do instead", async () => {
  const { root, tools } = workspace({
    "a/b": "x",
    "a.png": Buffer.from([0x89, 0x50, 0, 1]),
    latin: Buffer.from([0xe9, 0x20]),
  });
  symlinkSync("/dev/zero", join(root, "zero"));
  const said = async (path: string, offset?: number) => call(tools.read, { path, offset });
  assert.match(await said("a"), /^"a" is a folder\. Use the list tool\.$/);
  assert.match(await said("none"), /^"none" does not exist\. Use the list tool/);
  assert.match(await said("a/b/c"), /^"a\/b\/c" does not exist/);
  assert.match(await said("a.png"), /^"a\.png" is not UTF-8 text/);
  assert.match(await said("latin"), /^"latin" is not UTF-8 text/);
  assert.match(await said("zero"), /^"zero" leads out of the workspace/);
  assert.match(await said("a/b", 1), /^"a\/b" ends at 1/);
});

test("the pages of a long file together are the file, with any characters", async () => {
  const text = "aé€🙂".repeat(30_000);
  const { tools } = workspace({ long: text });
  let read = "";
  let offset: number | undefined;
  for (let pages = 0; pages < 10; pages++) {
    const [page = "", note = ""] = (await call(tools.read, { path: "long", offset })).split("\n\n[");
    read += page;
    const next = /Read on with offset (\d+)/.exec(note)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  assert.ok(Buffer.byteLength(text) > 3 * pageBytes);
  assert.equal(read, text);
});

test("a page never has half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 4 }), fc.nat(3), fc.nat(3), (text, from, to) => {
      const all = Buffer.from(text.toWellFormed());
      const bytes = all.subarray(Math.min(from, all.length), all.length - to);
      const { start, end } = wholeCharacters(bytes, from > 0, to > 0);
      assert.doesNotThrow(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end)));
      assert.ok(start <= 3 && bytes.length - end <= 3);
    }),
    cases(100),
  );
});

test("list names files with their sizes, folders and links, and follows none of these", async () => {
  const { root, tools } = workspace({ "b.txt": "12345", "a/c/d.txt": "x" });
  symlinkSync("/etc", join(root, "etc"));
  assert.equal(await call(tools.list, {}), "a/\nb.txt (5 bytes)\netc (link)");
  assert.equal(await call(tools.list, { path: "a", depth: 5 }), "a/c/\na/c/d.txt (1 bytes)");
  assert.equal(await call(tools.list, { path: "a" }), "a/c/");
  assert.match(await call(tools.list, { path: "b.txt" }), /^"b\.txt" is not a folder/);
  assert.match(await call(tools.list, { path: "etc" }), /^"etc" leads out of the workspace/);
  assert.equal(await call(workspace().tools.list, {}), "The folder is empty.");
});

test("list ends at its limit, with a note; a name with a line break stays on its line", async () => {
  const many = Object.fromEntries(Array.from({ length: mostListed + 1 }, (_, at) => [`f${at}`, ""]));
  const lines = (await call(workspace(many).tools.list, {})).split("\n");
  assert.equal(lines.length, mostListed + 1);
  assert.match(lines.at(-1) ?? "", /^\[Cut: more than 1000 entries/);
  assert.equal(await call(workspace({ "a\nb": "" }).tools.list, {}), '"a\\nb" (0 bytes)');
});

test("search finds lines literally, in text files, below a folder or in one file", async () => {
  const { root, tools } = workspace({
    "a/one.md": "first\n  a.*b here\nA.*B there",
    "a/two.txt": "aXXb",
    "b/three.md": "a.*b",
    "data.bin": Buffer.from("a.*b\0"),
    ".git/config": "a.*b",
    "node_modules/x/index.js": "a.*b",
  });
  symlinkSync(join(root, "b"), join(root, "link"));
  const found = (input: object) => call(tools.search, { text: "a.*b", ...input });
  assert.equal(await found({}), "a/one.md:2: a.*b here\nb/three.md:1: a.*b");
  assert.equal(await found({ path: "a", ignoreCase: true }), "a/one.md:2: a.*b here\na/one.md:3: A.*B there");
  assert.equal(await found({ nameEndsWith: ".txt" }), "Nothing was found.");
  assert.equal(await found({ path: "b/three.md" }), "b/three.md:1: a.*b");
  assert.equal(await found({ path: "link" }), "link/three.md:1: a.*b");
  assert.match(await found({ text: "a\nb" }), /must be part of one line/);
  assert.match(await found({ path: "none" }), /does not exist/);
});

test("search is bounded in lines, in their length and in the size of files", async () => {
  const { tools } = workspace({
    many: "needle\n".repeat(mostFound + 5),
    wide: `needle in hay ${"x".repeat(1000)}`,
    huge: "needle".padEnd(largestSearched + 1),
  });
  const lines = (await call(tools.search, { text: "needle", path: "many" })).split("\n");
  assert.equal(lines.length, mostFound + 1);
  assert.match(lines.at(-1) ?? "", /^\[Cut: more than 200 lines/);
  const found = await call(tools.search, { text: "needle in hay" });
  assert.match(found, /^wide:1: needle in hay x+…\n\[Not searched: 1 files of more than 2000000 bytes\.\]$/);
  assert.ok(found.length < 500);
});

test("write creates, with folders on the way, and replaces, keeping the mode and leaving nothing beside", async () => {
  const { root, tools } = workspace({ "run.sh": "old" });
  chmodSync(join(root, "run.sh"), 0o775);
  assert.equal(
    await call(tools.write, { path: "x/y/z.md", content: "ü" }),
    '"x/y/z.md" was created: 2 bytes.',
  );
  assert.equal(
    await call(tools.write, { path: "run.sh", content: "new" }),
    '"run.sh" was replaced: 3 bytes.',
  );
  assert.equal(readFileSync(join(root, "x/y/z.md"), "utf8"), "ü");
  assert.equal(readFileSync(join(root, "run.sh"), "utf8"), "new");
  assert.equal(statSync(join(root, "run.sh")).mode & 0o777, 0o775);
  assert.deepEqual(readdirSync(root).toSorted(), ["run.sh", "x"]);
  assert.deepEqual(readdirSync(join(root, "x/y")), ["z.md"]);
});

test("write through a link replaces what it leads to, and a link to nothing is replaced itself", async () => {
  const { root, tools } = workspace({ "real.md": "old" });
  symlinkSync("real.md", join(root, "link"));
  const elsewhere = join(folder, "never-made");
  symlinkSync(elsewhere, join(root, "dangling"));
  await call(tools.write, { path: "link", content: "new" });
  assert.equal(readFileSync(join(root, "real.md"), "utf8"), "new");
  await call(tools.write, { path: "dangling", content: "here" });
  assert.ok(!existsSync(elsewhere));
  assert.equal(readFileSync(join(root, "dangling"), "utf8"), "here");
});

test("write refuses paths that it must not change", async () => {
  const { root, tools } = workspace({ "a/b": "x", fixed: "keep" });
  chmodSync(join(root, "fixed"), 0o444);
  symlinkSync(join(folder, "nowhere"), join(root, "dangling"));
  const said = (path: string, content = "new") => call(tools.write, { path, content });
  assert.match(await said("a"), /^"a" is a folder\. Name a file in it\.$/);
  assert.match(await said("."), /^The workspace is a folder/);
  assert.match(await said("fixed"), /^"fixed" is read-only/);
  assert.match(await said("a/b/c"), /ENOTDIR/);
  assert.match(await said("a/b/c/d"), /^The folder of "a\/b\/c\/d" could not be made: ENOTDIR/);
  assert.match(await said("dangling/c/d"), /could not be made: EEXIST/);
  assert.match(await said("big", "x".repeat(largestWritten + 1)), /has 1000001 bytes; at most 1000000/);
  assert.equal(readFileSync(join(root, "fixed"), "utf8"), "keep");
  assert.deepEqual(readdirSync(root).toSorted(), ["a", "dangling", "fixed"]);
});
