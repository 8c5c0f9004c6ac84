// No text, however nasty, takes long. Each of these takes quadratic time or worse in a plain Markdown parser.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderMessages } from "./render.ts";
import { renderSignal } from "./signal.ts";

const SIZE = 1_000_000;
const MOST_MS = 60_000;

const NASTY: Record<string, string> = {
  stars: fill("*"),
  emphasis: fill("*a **b "),
  "mixed emphasis": fill("*a_b**c__d~~e"),
  brackets: fill("["),
  links: fill("[a]("),
  backticks: fill("`a``b```c"),
  pipes: fill("|"),
  "a wide table": `${fill("|a").slice(0, SIZE / 4)}\n${fill("|-").slice(0, SIZE / 4)}\n${fill("|\n").slice(0, SIZE / 2)}`,
  "many tables": fill("a|b\n-|-\n"),
  newlines: `a${fill("\n")}b`,
  quotes: fill(">"),
  "quoted lists": fill("> - a\nb\n"),
  "nested lists": fill("- "),
  "lists in quotes": fill("> - 1. "),
  fences: fill("```\n"),
  html: fill("<!--"),
  mail: fill("a_"),
  "one word": fill("a"),
  "one character": `e${fill("\u0301")}`,
  families: fill("👨‍👩‍👧‍👦"),
};

describe("a megabyte of", () => {
  for (const [name, text] of Object.entries(NASTY)) {
    it(name, () => {
      const start = performance.now();
      const messages = renderMessages(text, { dialect: "markdown", limit: { most: 20_000, unit: "utf16" } });
      const signal = renderSignal(text, { most: 2_000, unit: "bytes" });
      assert.ok(performance.now() - start < MOST_MS);
      assert.ok(messages.length > 0 && messages.length <= 10 && signal.length <= 10);
    });
  }
});

function fill(text: string): string {
  return text.repeat(Math.ceil(SIZE / text.length));
}
