// Every text takes time that grows with its length. Each of these takes quadratic time or worse in a plain Markdown
// parser.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertLinear } from "../../test/support/growth.ts";
import { renderMessages } from "./render.ts";
import { renderSignal } from "./signal.ts";

const quarter = 15_000;

type Write = (size: number) => string;
const nasty: Record<string, Write> = {
  stars: of("*"),
  emphasis: of("*a **b "),
  "mixed emphasis": of("*a_b**c__d~~e"),
  brackets: of("["),
  links: of("[a]("),
  backticks: of("`a``b```c"),
  pipes: of("|"),
  "a wide table": (size) => `${fill("|a", size / 4)}\n${fill("|-", size / 4)}\n${fill("|\n", size / 2)}`,
  "many tables": of("a|b\n-|-\n"),
  "blanks in a cell": (size) => `|a|\n|-|\n|b${fill(" ", size)}c|\n`,
  "many blank cells": (size) => `|a|b|\n|-|-|\n${fill("|      |\t\t|\n", size)}`,
  "bars in the second line": (size) => `a|b\n${fill(":", size)}x`,
  "a fence with a line separator": (size) => `${fill("~", size)}\u2028`,
  blanks: (size) => `a${fill(" ", size)}b`,
  newlines: (size) => `a${fill("\n", size)}b`,
  quotes: of(">"),
  "quoted lists": of("> - a\nb\n"),
  "nested lists": of("- "),
  "lists in quotes": of("> - 1. "),
  fences: of("```\n"),
  html: of("<!--"),
  mail: of("a_"),
  "one word": of("a"),
  "one character": (size) => `e${fill("\u0301", size)}`,
  families: of("👨‍👩‍👧‍👦"),
};

describe("up to 60,000 characters of", () => {
  for (const [name, write] of Object.entries(nasty)) {
    it(name, () => {
      assertLinear(name, quarter, (size) => {
        const text = write(size);
        const messages = renderMessages(text, {
          dialect: "markdown",
          limit: { most: 20_000, unit: "utf16" },
        });
        const signal = renderSignal(text, { most: 2_000, unit: "bytes" });
        assert.ok(messages.length > 0 && messages.length <= 10 && signal.length <= 10);
      });
    });
  }
});

function of(piece: string): Write {
  return (size) => fill(piece, size);
}

function fill(piece: string, size: number): string {
  return piece.repeat(Math.ceil(size / piece.length));
}
