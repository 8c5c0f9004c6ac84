// Bodies that are no JSON, for the hook that takes forms and XML: good ones, and broken, deep and hostile ones.
import { type Body, changed } from "./bodies.ts";
import type { Random } from "./random.ts";
import { anyText, oddBytes, word } from "./values.ts";

const form = "application/x-www-form-urlencoded";
const boundary = "fuzz-boundary";
const multipart = `multipart/form-data; boundary=${boundary}`;
const xml = "application/xml";

export type TypedBody = Body & { type: string };

export function typedBody(random: Random): TypedBody {
  const [type, good, hostile] = random.pick([
    [form, goodForm, hostileForm],
    [multipart, goodMultipart, hostileMultipart],
    [xml, goodXml, hostileXml],
  ] as const);
  const bytes = random.weighted<() => Buffer>([
    [55, () => Buffer.from(good(random))],
    [20, () => changed(Buffer.from(good(random)), random)],
    [20, () => Buffer.from(hostile(random))],
    [5, () => oddBytes(random)],
  ]);
  const made = bytes();
  return {
    bytes: made,
    good: false,
    type: random.chance(0.9) ? type : random.pick([form, multipart, xml, "text/xml"]),
  };
}

/** What the hook must take. */
export function goodTypedBody(random: Random): TypedBody {
  const [type, make] = random.pick([
    [random.pick([form, `${form}; charset=UTF-8`]), goodForm],
    [multipart, goodMultipart],
    [random.pick([xml, "text/xml; charset=utf-8", "application/soap+xml"]), goodXml],
  ] as const);
  return { bytes: Buffer.from(make(random)), good: true, type };
}

const names = (random: Random): string =>
  random.pick(["title", "list", "list", "__proto__", "a[b]", word(random)]);
const listOf = <T>(random: Random, make: () => T): T[] => Array.from({ length: random.below(8) }, make);

const goodForm = (random: Random): string =>
  new URLSearchParams([
    ["title", anyText(random)],
    ...listOf(random, () => [names(random), anyText(random)]),
  ] as [string, string][]).toString();

const part = (head: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const quoted = (text: string): string => text.replaceAll("%", "%25").replace(/[\0\r\n"\\]/g, "_");

function goodMultipart(random: Random): string {
  const parts = listOf(random, () =>
    random.chance(0.3)
      ? part(`name="${quoted(names(random))}"; filename="${quoted(word(random))}"`, anyText(random))
      : part(`name="${quoted(names(random))}"`, anyText(random)),
  );
  return `${part('name="title"', anyText(random))}${parts.join("")}--${boundary}--\r\n`;
}

/** Without what XML cannot have. */
const xmlText = (random: Random): string =>
  anyText(random)
    .toWellFormed()
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[<&>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function goodXml(random: Random): string {
  const element = (): string => {
    const name = random.pick(["list", "item", "text", "__proto__", "a:b"]);
    return `<${name} id="${xmlText(random)}">${xmlText(random)}<![CDATA[${word(random).replaceAll("]]>", "")}]]></${name}>`;
  };
  return `<?xml version="1.0"?><title id="x">t<!-- x -->${listOf(random, element).join("")}</title>`;
}

const hostileForm = (random: Random): string =>
  random.pick([
    "a&".repeat(20_000),
    "%".repeat(10_000),
    "a=%E4",
    "%00=%ed%a0%80",
    "=&=&=",
    "&",
    "?",
    "a=1&".repeat(9_000),
  ]);

const hostileMultipart = (random: Random): string =>
  random.pick([
    part('name="a"', "x").repeat(700),
    `${part('name="a"', "x").repeat(10)}--${boundary}-`,
    `${part('filename="x"', "x")}--${boundary}--`,
    `${part(`name="${"\\\\".repeat(2_000)}"`, "x").repeat(5)}--${boundary}--`,
    `${part('name="a"\r\nContent-Disposition: form-data; name="b"', "x")}--${boundary}--`,
    `\r\n--${boundary}x`.repeat(2_000),
    `--${boundary}\r\n${"A: b\r\n".repeat(5_000)}`,
    `--${boundary}--`,
    part('name="a"; filename="big"', "\0".repeat(60_000)),
  ]);

const hostileXml = (random: Random): string =>
  random.pick([
    "<a>".repeat(20_000),
    `<a>${"<b/>".repeat(16_000)}</a>`,
    `<a ${Array.from({ length: 5_000 }, (_, at) => `b${at}=""`).join(" ")}/>`,
    '<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "&b;&b;">]><a>&b;</a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    `<a>${"&lt;".repeat(15_000)}</a>`,
    `<a><![CDATA[${"]".repeat(60_000)}]]></a>`,
    `<a>${"x<!---->".repeat(7_000)}</a>`,
    '<?xml version="1.0" encoding="UTF-16"?><a/>',
    "<a>&nbsp;</a>",
    `<${"a".repeat(60_000)}/>`,
    "",
  ]);
