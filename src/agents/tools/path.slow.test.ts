import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { Refusal } from "./fault.ts";
import { relativePath, resolvePath } from "./path.ts";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";
import { workspaceTools } from "./workspace.ts";

const folder = makeFolder("path");
const outside = join(folder, "outside");
const root = join(folder, "work");
after(() => rmSync(folder, { recursive: true, force: true }));

const links = {
  up: "..",
  abs: outside,
  self: ".",
  inner: "deep/a",
  leak: "../outside/secret.txt",
  dangling: "../outside/new.txt",
  danglingFolder: "../outside/folder",
  loop: "loop",
  chain: "up/outside",
  "deep/back": "../../outside",
};

function build(): void {
  rmSync(outside, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
  mkdirSync(outside);
  mkdirSync(join(root, "deep", "a"), { recursive: true });
  writeFileSync(join(outside, "secret.txt"), "SECRET");
  writeFileSync(join(root, "deep", "a", "secret.txt"), "fine");
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
}

const isUntouched = (): boolean =>
  readdirSync(folder).toSorted().join() === "outside,work" &&
  readdirSync(outside).join() === "secret.txt" &&
  readFileSync(join(outside, "secret.txt"), "utf8") === "SECRET";

const names = ["..", ".", "", "deep", "a", "back", "secret.txt", "outside", "work", ...Object.keys(links)];
const odd = [
  "\0",
  "..\\",
  "C:",
  "%2e%2e",
  "~",
  "...",
  "‥",
  "．．",
  "$HOME",
  "new",
  "a\nb",
  "🙂",
  "\uD800",
  "x".repeat(300),
];
const segment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const writtenPath = fc
  .tuple(
    fc.constantFrom("", "", "", "/", "./", `${root}/`, `${outside}/`, "\\", "//"),
    fc.array(segment, { minLength: 1, maxLength: 6 }),
    fc.constantFrom("/", "/", "/", "\\", "//"),
  )
  .map(([start, segments, between]) => start + segments.join(between));

test("no path leads out of the workspace", { timeout: 200_000 }, async () => {
  const tools = workspaceTools(root, openGate());
  const seen = { read: 0, listed: 0, found: 0, written: 0, refused: 0 };
  const oneAfterAnother = async (path: string) => {
    build();
    const results = [
      await call(tools.read, { path }),
      await call(tools.list, { path, depth: 3 }),
      await call(tools.search, { path, text: "SECRET" }),
      await call(tools.search, { path, text: "fine" }),
      await call(tools.write, { path, content: "PWNED" }),
    ];
    for (const result of results) {
      assert.ok(!result.includes("SECRET"), result);
      assert.ok(!result.includes(folder), result);
    }
    assert.ok(isUntouched(), "something outside was changed");
    const [read = "", list = "", , found = "", written = ""] = results;
    if (read === "fine") seen.read++;
    if (list.includes("deep/")) seen.listed++;
    if (found.includes(": fine")) seen.found++;
    if (/ was (created|replaced)/.test(written)) seen.written++;
    if (read.includes("workspace")) seen.refused++;
  };
  await fc.assert(fc.asyncProperty(writtenPath, oneAfterAnother), cases(1000));
  for (const path of ["deep/a/secret.txt", ".", "inner/secret.txt"]) await oneAfterAnother(path);
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `never ${what}`);
});

test("paths are normalised before they are followed", () => {
  const good = {
    "": "",
    ".": "",
    "./a": "a",
    "a/": "a",
    "a/./b": "a/b",
    "a/../b": "b",
    "a//b": "a/b",
    "..a": "..a",
  };
  for (const [written, expected] of Object.entries(good)) assert.equal(relativePath(written), expected);
  const bad = [
    "/",
    "/etc/passwd",
    "..",
    "../a",
    "a/../../b",
    "a\\b",
    "C:/x",
    "c:x",
    "a\0b",
    "a\nb",
    "x".repeat(1001),
  ];
  for (const written of bad) assert.throws(() => relativePath(written), Refusal, JSON.stringify(written));
});

test("a link to something inside is followed; a missing file has its path", async () => {
  build();
  assert.deepEqual(await resolvePath(root, "inner/secret.txt"), {
    shown: "inner/secret.txt",
    real: join(root, "deep", "a", "secret.txt"),
    missing: [],
  });
  const { real, missing } = await resolvePath(root, "inner/x/y.txt");
  assert.deepEqual([real, missing], [join(root, "deep", "a"), ["x", "y.txt"]]);
  await assert.rejects(resolvePath(root, "loop/a"), /"loop\/a" cannot be used: ELOOP/);
});

/** Swaps a folder for a link to the outside and back, as fast as it can. */
const swapping = `
const { parentPort, workerData: { folder, link, aside, stop } } = require("node:worker_threads");
const { renameSync } = require("node:fs");
parentPort.postMessage("started");
while (Atomics.load(stop, 0) === 0) {
  renameSync(folder, aside); renameSync(link, folder);
  renameSync(folder, link); renameSync(aside, folder);
}`;

test(
  "a folder that is swapped for a link again and again gives nothing away",
  { timeout: 100_000 },
  async () => {
    build();
    writeFileSync(join(root, "deep", "secret.txt"), "fine");
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const places = { folder: join(root, "deep"), link: join(root, "abs"), aside: join(root, "aside") };
    const worker = new Worker(swapping, { eval: true, workerData: { ...places, stop } });
    await new Promise((resolve) => worker.once("message", resolve));
    const { read } = workspaceTools(root, openGate());
    const results = new Set<string>();
    for (let tried = 0; tried < 3000; tried++) results.add(await call(read, { path: "deep/secret.txt" }));
    Atomics.store(stop, 0, 1);
    await new Promise((resolve) => worker.once("exit", resolve));
    assert.ok(results.has("fine"));
    assert.ok(results.size > 1, "the swap was never noticed");
    assert.ok(![...results].some((result) => result.includes("SECRET")));
  },
);
