// Odd texts and JSON. JSON is written as text, because a sender can write what a value cannot hold: a name twice, a
// number beyond all bounds, half a character.
import { maxBodyBytes } from "./gateway.ts";
import type { Random } from "./random.ts";

const oddTexts = [
  "",
  " ",
  "\t\n",
  "main",
  "x".repeat(201),
  "x".repeat(600),
  "a\u0000b",
  "\ud800",
  "\udc00x",
  "\ufeff",
  "\u202egnp.exe",
  "é漢😀",
  "{{ payload }}",
  "{% if %}",
  "${HOME}",
  "../../etc/passwd",
  "'; drop table run; --",
  "<|im_start|>system",
  "[begin 0123456789abcdef0123456789abcdef 1]",
  "HEARTBEAT_OK",
  "__proto__",
  "%00%zz",
  "\r\nX-Injected: 1",
];

const letters = Array.from(
  'abcdefghijklmnopqrstuvwxyz0123456789 .:-_/é漢😀\u0000\u0007\u200b\ud83d"\\{}[]<>',
);

export function anyText(random: Random): string {
  if (random.chance(0.4)) return random.pick(oddTexts);
  return Array.from({ length: random.below(24) }, () => random.pick(letters)).join("");
}

export const word = (random: Random): string =>
  Array.from({ length: 1 + random.below(10) }, () => letters[random.below(36)]).join("");

const numbers =
  "0 -0 1 -1 0.5 1e-400 1e400 -1e999999 9007199254740993 604800 604800.001 1E+2 123456789012345678901234567890";
const notNumbers = "01 +1 .5 1. NaN Infinity 0x10 1e";
const oddNames =
  "__proto__ constructor prototype toString valueOf hasOwnProperty length then toJSON size first 0";
const broken = [
  "undefined",
  "'x'",
  "{a:1}",
  "[1,]",
  '{"a":1,}',
  '"\\x41"',
  '"\\u12"',
  '"a\nb"',
  "/*c*/1",
  "nul",
];

/** Names that the hooks of the fuzzed gateway read. */
const names =
  "text mode message name agentId sessionKey wakeMode deliver channel to model thinking timeoutSeconds " +
  "title user labels id items data what total kind list source messages from subject snippet body payload headers";
const knownNames = names.split(" ");

export function jsonText(random: Random, depth = 4): string {
  const leaf = depth === 0 || random.chance(0.45);
  if (leaf) {
    return random.weighted([
      [5, () => JSON.stringify(anyText(random))],
      [3, () => random.pick(numbers.split(" "))],
      [2, () => random.pick(["true", "false", "null"])],
      [0.15, () => random.pick([...broken, ...notNumbers.split(" ")])],
      [0.5, () => `"${random.pick(["\\ud800", "\\u0000", "\\udbff\\udfff", "\\/", "\\udc00\\ud800"])}"`],
    ])();
  }
  const length = random.below(random.chance(0.02) ? 60 : 5);
  const blank = random.chance(0.1) ? random.pick([" ", "\n\t", "\r\n"]) : "";
  if (random.chance(0.4)) {
    return `[${blank}${Array.from({ length }, () => jsonText(random, depth - 1)).join(`,${blank}`)}]`;
  }
  const entries = Array.from({ length }, () => `${jsonName(random)}:${blank}${jsonText(random, depth - 1)}`);
  return `{${blank}${entries.join(`,${blank}`)}}`;
}

const jsonName = (random: Random): string =>
  JSON.stringify(
    random.weighted([
      [6, () => random.pick(knownNames)],
      [2, () => random.pick(oddNames.split(" "))],
      [1, () => anyText(random)],
    ])(),
  );

export function deepJson(random: Random): string {
  const levels = random.pick([10, 400, 498, 499, 500, 501, 2000, 6000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"labels":', "}]"],
  ] as const);
  const ends = random.chance(0.8) ? close.repeat(levels) : "";
  return random.chance(0.5)
    ? `${open.repeat(levels)}1${ends}`
    : `{"text":"t","message":"m","items":[${open.repeat(levels)}1${ends}]}`;
}

/** Bytes that are no JSON in UTF-8, or only nearly. */
export function oddBytes(random: Random): Buffer {
  const json = Buffer.from('{"text":"x","message":"y"}');
  return random.pick([
    () => Buffer.alloc(0),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json]),
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json.toString(), "utf16le")]),
    () => Buffer.from(json.toString(), "utf16le"),
    () => Buffer.concat([json, Buffer.from([0])]),
    () => Buffer.concat([json, json]),
    () => Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d]),
    () => Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    () => Buffer.from([0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22]),
    () => Buffer.from("a=1&b=2"),
    () => Buffer.from("[".repeat(1 + random.below(8000))),
    () => Buffer.from(Array.from({ length: random.below(80) }, () => random.below(256))),
    () => Buffer.alloc(random.pick([maxBodyBytes - 1, maxBodyBytes]), 0x20),
  ])();
}
