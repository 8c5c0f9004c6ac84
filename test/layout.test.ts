// The code is laid out as the table in ARCHITECTURE.md says: imports run one way, without cycles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filesUnder } from "./support/docs.ts";
import {
  fileCycles,
  folderCycles,
  importFaults,
  importsOf,
  layoutIn,
  strayFiles,
  unusedPermissions,
} from "./support/layout.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const layout = layoutIn(readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8"));
const all = filesUnder(root, "src", "");
const sources = all.filter(({ path }) => !/\.(test|contract)\.ts$/.test(path));

test("the table and the sources were read", () => {
  assert.ok(layout.size >= 24);
  assert.deepEqual([...(layout.get("core") ?? ["missing"])], []);
  assert.deepEqual([...(layout.get("html") ?? ["missing"])], []);
  assert.deepEqual([...(layout.get("main") ?? [])], ["core", "cli"]);
  assert.ok(sources.length > 300);
  assert.ok(sources.reduce((sum, file) => sum + importsOf(file).length, 0) > 1000);
});

test("a folder imports only from the folders in its row", () => {
  assert.deepEqual(importFaults(sources, layout), []);
});

test("the table allows nothing that is not used", () => {
  assert.deepEqual(unusedPermissions(sources, layout), []);
});

test("no file imports itself, directly or by way of others", () => {
  assert.deepEqual(fileCycles(sources), []);
});

test("no folder imports itself by way of others", () => {
  assert.deepEqual(folderCycles(sources), []);
});

test("src/ holds sources, contracts and tests, and nothing else", () => {
  assert.deepEqual(strayFiles(all.map(({ path }) => path)), []);
});

test("the table names only its own folders, and lets no two import each other", () => {
  for (const [folder, allowed] of layout) {
    for (const other of allowed) {
      assert.ok(layout.has(other), `${folder} may import ${other}, which has no row`);
      assert.ok(!layout.get(other)?.has(folder), `${folder} and ${other} may import each other`);
    }
  }
});

const table = `| Folder | Purpose | May import besides core |
|---|---|---|
| core | words | – |
| html, markdown | texts | nothing |
| store | SQL | – |
| gateway | parts | store |

After it.`;

const file = (path: string, ...lines: string[]) => ({ path, text: lines.join("\n") });

test("a forbidden import is found in every form", () => {
  const made = layoutIn(table);
  const ways = [
    'import { a } from "../store/open.ts";',
    'import type { A } from "../store/open.ts";',
    'import {\n  a,\n  type B,\n} from "../store/open.ts";',
    'export * from "../store/open.ts";',
    'export type { A } from "../store/open.ts";',
    'import "../store/open.ts";',
    'const a = await import("../store/open.ts");',
    'type A = import("../store/open.ts").A;',
    'const a = new URL("../store/open.ts", import.meta.url);',
    "const a = new URL(`../store/open.${extension}`, import.meta.url);",
  ];
  for (const way of ways) {
    const faults = importFaults([file("src/core/id.ts", way)], made);
    assert.deepEqual(faults, ["src/core/id.ts may not import from store (src/store/open.ts)"], way);
  }
});

test("an allowed import, and one in a comment, is no fault", () => {
  const made = layoutIn(table);
  const files = [
    file("src/store/open.ts", 'import { a } from "../core/id.ts";', 'import { b } from "./other.ts";'),
    file("src/gateway/gateway.ts", 'import { s } from "../store/open.ts";', 'import fs from "node:fs";'),
    file("src/core/id.ts", '// import { a } from "../store/open.ts";'),
  ];
  assert.deepEqual(importFaults(files, made), []);
  assert.deepEqual(unusedPermissions(files, made), []);
});

test("a folder without a row, and an import from outside of src or against the row, are faults", () => {
  const made = layoutIn(table);
  assert.equal(importFaults([file("src/attic/box.ts", "")], made).length, 1);
  assert.equal(importFaults([file("src/gateway/a.ts", 'import "../../test/x.ts";')], made).length, 1);
  assert.equal(importFaults([file("src/html/a.ts", 'import "../core/id.ts";')], made).length, 1);
});

test("a permission that nothing uses is found", () => {
  const made = layoutIn(table);
  const faults = unusedPermissions([file("src/gateway/a.ts", 'import "../core/id.ts";')], made);
  assert.deepEqual(faults, ["gateway may import store and does not"]);
});

test("a stray file is found", () => {
  const good = ["src/main.ts", "src/store/ports/runs.contract.ts", "src/core/id.test.ts"];
  const fine = ["src/core/written.properties.test.ts", "src/store/migrations/001-tables.ts"];
  assert.deepEqual(strayFiles([...good, ...fine]), []);
  const stray = ["src/a.fixture.ts", "src/core/golden/a.txt", "src/core/Id.ts", "src/core/id.js"];
  assert.deepEqual(strayFiles(stray), stray);
});

test("a cycle of files is found, through a type import and over several files", () => {
  const files = [
    file("src/core/a.ts", 'import { b } from "./b.ts";'),
    file("src/core/b.ts", 'import type { C } from "../store/c.ts";'),
    file("src/store/c.ts", 'import { a } from "../core/a.ts";'),
    file("src/store/d.ts", 'import { c } from "./c.ts";'),
  ];
  assert.deepEqual(fileCycles(files), [
    ["src/core/a.ts", "src/core/b.ts", "src/store/c.ts", "src/core/a.ts"],
  ]);
  assert.deepEqual(fileCycles(files.slice(0, 2)), []);
});

test("a cycle of subfolders is found, and a folder's own files form none", () => {
  const files = [
    file("src/mail/accounts.ts", 'import { a } from "./imap/a.ts";'),
    file("src/mail/imap/a.ts", 'import { b } from "../accounts.ts";', 'import "../gmail/c.ts";'),
    file("src/mail/gmail/c.ts", 'import { d } from "../mailbox.ts";'),
    file("src/mail/mailbox.ts", ""),
    file("src/mail/imap/d.ts", ""),
  ];
  assert.deepEqual(folderCycles(files), []);
  const back = file("src/mail/gmail/e.ts", 'import "../imap/d.ts";');
  assert.deepEqual(folderCycles([...files, back]), [["src/mail/imap", "src/mail/gmail", "src/mail/imap"]]);
});
