// Replies for property tests: as agents write them, and as nobody should.

import fc from "fast-check";

const TAME = fc.constantFrom(
  ..."alpha beta gamma snake_case x don't 3.14 Ünïcode 語学 e\u0301a End. Why?".split(" "),
  ..."👨‍👩‍👧‍👦 🇩🇪 👍🏽 a&b <tag> <!channel> @here &lt; C:\\dir".split(" "),
);

const WILD = fc.oneof(
  TAME,
  fc.constantFrom(..."a*b * _ ` ~ [ ] ( # > - | \\ ! < & 1. ``` ||| $&".split(" ")),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("e\u0301", "👨‍👩‍👧‍👦", "<", "語", "\uD800"), maxLength: 300 }),
);

const MARK = fc.constantFrom(
  ..."a é 👍🏽 • @ = ( ) ! \\ & &lt; < <b> * ** _ __ ` `` ~ [ ] # > - --- 1.".split(" "),
  ..."http://x.y https://e.f/g_(h) x@y.zz [a](http://b.c) ![i](http://j.k)".split(" "),
  ..."b c| |\n|\n\n|  \n|    |\t|# |> |- |+ |1. ".split("|"),
);

/** Pieces of Markdown in any order. */
export const MARKS: fc.Arbitrary<string> = fc
  .array(MARK, { minLength: 1, maxLength: 8 })
  .map((marks) => marks.join(""));

function inlineOf(words: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const part = fc.oneof(
    words,
    words.map((text) => `**${text}**`),
    words.map((text) => `*${text}*`),
    words.map((text) => `~~${text}~~`),
    words.map((text) => `**a *${text}* b**`),
    words.map((text) => `\`${text}\``),
    words.map((text) => `[${text}](https://example.com/a_(b)?c=1&d=2)`),
    words.map((text) => `[${text}](javascript:alert)`),
    fc.constantFrom(
      "https://example.com/x_y",
      "![alt](https://e.com/i.png)",
      "ops@example.com",
      "\\*a\\*",
      "a**b**c",
    ),
  );
  const glue = fc.constantFrom(" ", "\n", "  \n");
  return fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 6 }), glue)
    .map(([parts, glue]) => parts.join(glue));
}

function blockOf(words: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const inline = inlineOf(words);
  const several = fc.array(inline, { minLength: 1, maxLength: 6 });
  return fc.oneof(
    inline,
    inline,
    inline.map((text) => `## ${text.replaceAll("\n", " ")}`),
    several.map((items) => items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n")),
    several.map((items) =>
      items.map((item, at) => `${at + 7}. ${item.replaceAll("\n", "\n    ")}`).join("\n"),
    ),
    words.map((text) => `- [x] ${text}\n  - nested ${text}\n    > quoted ${text}`),
    inline.map((text) => text.replace(/^/gm, "> ")),
    fc.array(words, { minLength: 1, maxLength: 20 }).map((rows) => `\`\`\`ts\n${rows.join("\n")}\n\`\`\``),
    fc.constant("---"),
  );
}

function replyOf(word: fc.Arbitrary<string>, also: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const words = fc.array(word, { minLength: 1, maxLength: 30 }).map((all) => all.join(" "));
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: blockOf(words) }, ...also), { minLength: 1, maxLength: 8 })
    .map((blocks) => blocks.join("\n\n"));
}

const TABLE = fc
  .array(fc.array(WILD, { maxLength: 8 }), { minLength: 1, maxLength: 8 })
  .map((rows) => ["| a | b |", "|---|--:|", ...rows.map((row) => `| ${row.join(" ")} | 1 |`)].join("\n"));

export const TAME_REPLY: fc.Arbitrary<string> = replyOf(TAME, []);
export const ANY_REPLY: fc.Arbitrary<string> = fc.oneof(replyOf(WILD, [TABLE, MARKS]), TAME_REPLY, MARKS);
