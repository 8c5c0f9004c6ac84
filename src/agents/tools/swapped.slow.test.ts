// What the tools of the workspace do when a part of a path is swapped for a link to the outside: before each single
// call of the file system, and for the length of each.
import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { workspaceTools } from "./workspace.ts";

const folder = makeFolder("swapped");
const outside = join(folder, "outside");
const root = join(folder, "work");
after(() => rmSync(folder, { recursive: true, force: true }));

/** The same names inside and outside, so that every path leads to something after a swap. */
function build(): void {
  for (const [top, text] of [
    [outside, "SECRET".repeat(100)],
    [root, "fine"],
  ] as const) {
    rmSync(top, { recursive: true, force: true });
    mkdirSync(join(top, "deep", "a"), { recursive: true });
    for (const path of ["file.md", "deep/file.md", "deep/a/file.md"]) writeFileSync(join(top, path), text);
  }
  writeFileSync(join(outside, "deep", "a", "hidden-name"), "");
}

const contentOf = (top: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(top, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : "folder"];
    }),
  );

type Swap = { swap: () => void; back: () => void };

/** The part of a path becomes a link to the same part outside. */
const swapOf = (part: string): Swap => ({
  swap() {
    renameSync(join(root, part), join(root, "aside"));
    symlinkSync(join(outside, part), join(root, part));
  },
  back() {
    rmSync(join(root, part));
    renameSync(join(root, "aside"), join(root, part));
  },
});

type Plan = Swap & { at: number; swapsBack: boolean; hidesHandles: boolean };

const watchedCalls = [
  "open",
  "lstat",
  "mkdir",
  "opendir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "rmdir",
] as const;

/** Swaps at one call of the file system. Resolves to false when there were fewer calls. */
async function withSwap(t: TestContext, plan: Plan, work: () => Promise<void>): Promise<boolean> {
  let calls = 0;
  const watched = (name: string, method: (...given: unknown[]) => Promise<unknown>) =>
    async function (this: unknown, ...given: unknown[]): Promise<unknown> {
      const isChosen = calls++ === plan.at;
      if (isChosen) plan.swap();
      try {
        if (plan.hidesHandles && name === "readlink")
          throw Object.assign(new Error("no /proc"), { code: "ENOENT" });
        return await method.apply(this, given);
      } finally {
        if (isChosen && plan.swapsBack) plan.back();
      }
    };
  for (const name of watchedCalls) t.mock.method(fs, name, watched(name, fs[name] as never) as never);
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  return calls > plan.at;
}

const uses: Record<string, (tools: ReturnType<typeof workspaceTools>) => Promise<string>> = {
  "write creates": ({ write }) => call(write, { path: "deep/a/new.md", content: "PWNED" }),
  "write replaces": ({ write }) => call(write, { path: "deep/a/file.md", content: "PWNED" }),
  "write makes folders": ({ write }) => call(write, { path: "deep/a/b/c/new.md", content: "PWNED" }),
  read: ({ read }) => call(read, { path: "deep/a/file.md" }),
  list: ({ list }) => call(list, { path: "deep", depth: 3 }),
  search: ({ search }) => call(search, { path: "deep", text: "E" }),
  "search in a file": ({ search }) => call(search, { path: "deep/a/file.md", text: "E" }),
};

const kinds = [
  { title: "for good", swapsBack: false, hidesHandles: false },
  { title: "for the length of one call", swapsBack: true, hidesHandles: false },
  { title: "for good, without paths of open folders", swapsBack: false, hidesHandles: true },
];

for (const { title, ...kind } of kinds)
  for (const [use, run] of Object.entries(uses))
    test(`${use}: a part of the path is swapped ${title}, at any step: nothing outside is touched or told`, async (t) => {
      for (const part of ["deep", "deep/a", "deep/a/file.md"])
        for (let at = 0, goesOn = true; goesOn; at++) {
          build();
          const before = contentOf(outside);
          goesOn = await withSwap(t, { ...swapOf(part), ...kind, at }, async () => {
            const said = await run(workspaceTools(root, openGate()));
            assert.doesNotMatch(said, /SECRET|hidden-name|600 bytes/, `${part}, step ${at}`);
          });
          assert.deepEqual(contentOf(outside), before, `${part}, step ${at}`);
          const left = Object.keys(contentOf(root)).filter((path) => path.endsWith(".tmp"));
          if (!kind.hidesHandles) assert.deepEqual(left, [], `${part}, step ${at}`);
          assert.ok(goesOn || at > 3, `only ${at} steps`);
        }
    });
