// Imports run one way, as the table in ARCHITECTURE.md says, and never in a circle.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cyclesIn, filesUnder, importsOf, roomFaults, roomsIn } from "./support/docs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const exempt = /\.(test|contract|fixture)\.ts$|\/fixture\.ts$|^src\/store\/contract\//;
const rooms = roomsIn(readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8"));
const sources = filesUnder(root, "src", ".ts").filter(({ path }) => !exempt.test(path));

test("the table and the sources were read", () => {
  assert.ok(rooms.size >= 16);
  assert.deepEqual([...(rooms.get("core") ?? ["missing"])], []);
  assert.deepEqual([...(rooms.get("main") ?? [])], ["cli", "core"]);
  assert.ok(sources.length > 80);
  assert.ok(sources.reduce((sum, file) => sum + importsOf(file).length, 0) > 200);
});

test("a room imports only from the rooms in its row", () => {
  assert.deepEqual(roomFaults(sources, rooms), []);
});

test("no file imports itself, directly or by way of others", () => {
  assert.deepEqual(cyclesIn(sources), []);
});

test("the table names rooms that it has, and lets none import itself in a circle", () => {
  for (const [room, allowed] of rooms) {
    for (const other of allowed) {
      assert.ok(rooms.has(other), `${room} may import ${other}, which is no room`);
      assert.ok(!rooms.get(other)?.has(room), `${room} and ${other} may import each other`);
    }
  }
});

const table = `| Room | What lives here | May import |
|---|---|---|
| core | words | – |
| store | SQL | core |
| gateway | parts | core, store |

After it.`;

const file = (path: string, ...lines: string[]) => ({ path, text: lines.join("\n") });

test("a forbidden import is found however it is written", () => {
  const made = roomsIn(table);
  const ways = [
    'import { a } from "../store/store.ts";',
    'import type { A } from "../store/store.ts";',
    'import {\n  a,\n  type B,\n} from "../store/store.ts";',
    'export * from "../store/store.ts";',
    'export type { A } from "../store/store.ts";',
    'import "../store/store.ts";',
    'const a = await import("../store/store.ts");',
    'type A = import("../store/store.ts").A;',
  ];
  for (const way of ways) {
    const faults = roomFaults([file("src/core/id.ts", way)], made);
    assert.deepEqual(faults, ["src/core/id.ts may not import from store (src/store/ports/store.ts)"], way);
  }
});

test("what is allowed, and what only a comment says, is no fault", () => {
  const made = roomsIn(table);
  const files = [
    file("src/store/ports/store.ts", 'import { a } from "../core/id.ts";', 'import { b } from "./other.ts";'),
    file("src/gateway/gateway.ts", 'import { s } from "./store/store.ts";', 'import fs from "node:fs";'),
    file("src/core/id.ts", '// import { a } from "../store/store.ts";'),
  ];
  assert.deepEqual(roomFaults(files, made), []);
});

test("a room without a row, and an import from outside of src, are faults", () => {
  const made = roomsIn(table);
  assert.equal(roomFaults([file("src/attic/box.ts", "")], made).length, 1);
  assert.equal(roomFaults([file("src/gateway/gateway.ts", 'import "../test/x.ts";')], made).length, 1);
});

test("a cycle is found, through a type import and over several files", () => {
  const files = [
    file("src/core/a.ts", 'import { b } from "./b.ts";'),
    file("src/core/b.ts", 'import type { C } from "../store/c.ts";'),
    file("src/store/c.ts", 'import { a } from "../core/a.ts";'),
    file("src/store/d.ts", 'import { c } from "./c.ts";'),
  ];
  assert.deepEqual(cyclesIn(files), [["src/core/a.ts", "src/core/b.ts", "src/store/c.ts", "src/core/a.ts"]]);
  assert.deepEqual(cyclesIn(files.slice(0, 2)), []);
});
