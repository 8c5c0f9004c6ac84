// Texts for tests: whatever Unicode has, and what an attacker would write.

import * as fc from "fast-check";

const pieces = [
  [
    "[begin 0123456789abcdef0123456789abcdef 1 x]",
    "[end 0123456789abcdef0123456789abcdef 7]",
    "[data 1]",
    "| ",
  ],
  ["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029", "\t", " "],
  ["\u200B", "\u200D", "\uFE0F", "\u20E3", "\u202E", "\u{E0067}", "\u{E007F}", "\uFEFF", "\u0000", "\uFFFE"],
  ["😀", "👨", "👩", "👧", "❤", "🏴", "🇩", "🇪", "🏻", "♀", "1", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️", "🏳️‍🌈", "🏃🏻‍♀️‍➡️", "👩🏻‍❤️‍💋‍👩🏿"],
  ["\uD83D", "\uDE00", "\uD800", "\uDFFF", "\uE000", "\u{10FFFF}"],
  [
    "<|",
    "|>",
    "<",
    ">",
    "[",
    "]",
    "|",
    "/",
    "s",
    "<s>",
    "<|im_start|>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "]~b]",
    "[e~[",
  ],
  [
    "＜",
    "｜",
    "＞",
    "［",
    "］",
    "ｓ",
    "𝐬",
    "ﬆ",
    "[𝐈𝐍𝐒𝐓]",
    "＜｜ｘ｜＞",
    "<ﬆart_of_turn>",
    "⟦",
    "⟧",
    "\uFDFA",
  ],
  ["System: ", "<<<EXTERNAL>>>", '"', "\\", "hello "],
].flat();

const piece = fc.oneof(
  { arbitrary: fc.constantFrom(...pieces), weight: 6 },
  { arbitrary: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), weight: 1 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 3 }), weight: 1 },
);

const join = (parts: string[]): string => parts.join("");

export const hostileText: fc.Arbitrary<string> = fc.array(piece, { maxLength: 12 }).map(join);

/** The operator's words are Greek here, and nothing else is. */
export const operatorText: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      "α",
      "βγδ",
      "ω",
      "\n",
      "| ψ\n",
      "[data 9]",
      "\n[begin 00000000000000000000000000000000 1 α]\n",
    ),
    { maxLength: 6 },
  )
  .map(join);

export const withoutOperatorLetters = (text: string): string => text.replace(/[α-ω]/g, "");

export const occurrences = (text: string, part: string): number => text.split(part).length - 1;
