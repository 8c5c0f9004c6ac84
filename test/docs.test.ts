// Links in our pages lead to existing targets.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filesUnder, headingsIn, linksIn, type SourceFile } from "./support/docs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages: SourceFile[] = [
  ...readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  ...filesUnder(root, "docs", ".md"),
  ...filesUnder(root, "examples", ".md"),
];

function brokenLinks(page: SourceFile, read: (path: string) => string | null): string[] {
  return linksIn(page).flatMap(({ written, to, heading }) => {
    const target = to.startsWith("..") ? null : read(to);
    const found =
      target !== null && (heading === null || !to.endsWith(".md") || headingsIn(target).has(heading));
    return found ? [] : [`${page.path}: ${written}`];
  });
}

test("relative links point to files and headings that exist", () => {
  assert.ok(pages.length >= 3);
  const read = (path: string) => {
    const file = join(root, path);
    if (!existsSync(file)) return null;
    return path.endsWith(".md") ? readFileSync(file, "utf8") : "";
  };
  assert.deepEqual(
    pages.flatMap((page) => brokenLinks(page, read)),
    [],
  );
});

test("a broken link is found, and text that is no link is ignored", () => {
  const text = [
    "# Top page",
    "[good](other.md) [up](../README.md) [here](#top-page) [there](other.md#the-2nd-heading) [out](https://x.test/y)",
    "[lost](gone.md) [lost heading](other.md#gone) [outside](../../x.md)",
    "[reference]: missing.md",
    "`[code](code.md)`",
    "```\n[block](block.md)\n```",
  ].join("\n\n");
  const files = new Map([
    ["docs/page.md", text],
    ["docs/other.md", "## The 2nd `heading`\n"],
    ["README.md", ""],
  ]);
  const broken = brokenLinks({ path: "docs/page.md", text }, (path) => files.get(path) ?? null);
  assert.deepEqual(broken, [
    "docs/page.md: gone.md",
    "docs/page.md: other.md#gone",
    "docs/page.md: ../../x.md",
    "docs/page.md: missing.md",
  ]);
});
