// Character references in Markdown's text (`&lt;`). Those that are seen in replies; others stay as they are written.

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  euro: "€",
  pound: "£",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  bull: "•",
  middot: "·",
  times: "×",
  larr: "←",
  rarr: "→",
  laquo: "«",
  raquo: "»",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
};

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-z]{2,6});/g, (whole, name: string) =>
    name.startsWith("#") ? fromNumber(name.slice(1)) : Object.hasOwn(NAMED, name) ? NAMED[name]! : whole,
  );
}

function fromNumber(digits: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  const shown = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return shown ? String.fromCodePoint(code) : "\uFFFD";
}
