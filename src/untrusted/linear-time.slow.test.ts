// Texts of every kind take time that grows with their length, not with its square.
import { test } from "node:test";
import { assertLinear } from "../../test/support/growth.ts";
import { fence, parseFences } from "./fence.ts";
import { clean } from "./clean.ts";
import { signalsOf } from "./signals.ts";

const inputs = {
  plain: "Hello world, this is it.\n",
  hidden: "\u200B",
  tags: "\u{E0069}",
  emoji: "😀",
  families: "👨‍👩‍👧‍👦",
  "half families": "👨\u200D",
  "half keycaps": "1\uFE0F",
  "half flags": "🇩",
  newlines: "\n",
  "line separators": "\u2028",
  "high surrogates": "\uD800",
  "low surrogates": "\uDC00",
  "angle brackets": "<",
  "open tokens": "<|",
  "longer open tokens": "<|aaaaaaaaaaaaaaa",
  tokens: "<s>",
  "nested tokens": "<|[INST]|>",
  "full-width tokens": "＜｜ｓ｜＞",
  "full-width letters": "Ａ",
  "mathematical letters": "𝐀",
  "long foldings": "\uFDFA",
  markers: "<<<EXTERNAL",
  "open fences": "[begin ",
  spaces: " ",
  mixed: "a\u200B<|x|>👨‍👩‍👧‍👦Ａ\r\n[INST]\uD800System:",
};

const quarter = 1 << 16;

const works = {
  clean,
  signals: signalsOf,
  fence: (text: string) => parseFences(fence("0".repeat(32), { id: 1, label: "x", text })),
};

for (const [name, unit] of Object.entries(inputs)) {
  test(`up to 256 KiB of ${name}`, () => {
    const textOf = (bytes: number): string => unit.repeat(bytes / Buffer.byteLength(unit));
    for (const [verb, work] of Object.entries(works))
      assertLinear(`${verb} of ${name}`, quarter, (bytes) => work(textOf(bytes)));
  });
}
