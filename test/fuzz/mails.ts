// Mails as strangers write them: cut anywhere, nested, without an end, of nothing but line feeds.
import { prose } from "./prose.ts";
import type { Random } from "./random.ts";
import { anyText, word } from "./values.ts";

const longest = 60_000;

export function oddMail(random: Random, number: number): Buffer {
  const fields = [
    `From: ${oneLine(random)} <${word(random)}@example.org>`,
    "To: me@example.org",
    `Subject: ${oneLine(random)}`,
    `Message-ID: <fuzz-${number}@example.org>`,
    ...Array.from({ length: random.chance(0.02) ? random.below(3000) : random.below(3) }, () =>
      oddField(random),
    ),
  ];
  const body = random.weighted<() => string>([
    [30, () => plain(random)],
    [20, () => html(random)],
    [20, () => parts(random, 3)],
    [10, () => nestedMails(random)],
    [8, () => flowed(random)],
    [5, () => "\n".repeat(random.below(300_000))],
    [5, () => encoded(random)],
    [2, () => anyText(random)],
  ])();
  const mail = `${fields.join("\r\n")}\r\n${body}`;
  const end = random.chance(0.1) ? random.below(mail.length) : mail.length;
  return Buffer.from(mail.slice(0, Math.max(end, 40)));
}

const oneLine = (random: Random): string =>
  random.chance(0.2) ? encodedWord(random) : anyText(random).replaceAll(/[\r\n\0]/g, " ");

const encodedWord = (random: Random): string =>
  random.pick([
    `=?utf-8?B?${Buffer.from(anyText(random)).toString("base64")}?=`,
    "=?utf-8?Q?=C3?=",
    "=?x-none?Q?abc?=",
    "=?utf-8?B?".repeat(1 + random.below(200)),
    "(".repeat(random.below(2000)),
    '"'.repeat(random.below(2000)),
    "a,".repeat(random.below(2000)),
  ]);

const oddField = (random: Random): string =>
  random.pick([
    `X-${word(random).replaceAll(" ", "-")}: ${oneLine(random)}`,
    `References: ${"<a@b> ".repeat(random.below(300))}`,
    `X-Folded: a${"\r\n ".repeat(random.below(300))}b`,
    "Content-Type: text/plain; charset=nothing; a*0=b; a*1=c",
    ": without a name",
    `Date: ${oneLine(random)}`,
  ]);

const plain = (random: Random): string =>
  `Content-Type: text/plain; charset=${random.pick(["utf-8", "iso-8859-1", "utf-16", "x"])}\r\n\r\n${prose(random, longest)}`;

const html = (random: Random): string =>
  `Content-Type: text/html; charset=utf-8\r\n\r\n<html><style>${prose(random, 300)}</style>${prose(random, longest)}`;

const encoded = (random: Random): string => {
  const text = prose(random, longest);
  return random.chance(0.5)
    ? `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString("base64")}`
    : `Content-Transfer-Encoding: quoted-printable\r\n\r\n${"=\r\n".repeat(random.below(20_000))}${text}=ZZ=`;
};

const flowed = (random: Random): string =>
  `Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${random.pick([" \r\n", "> \r\n", ">>>> ", "a \n"]).repeat(random.below(60_000))}`;

/** Many parts, or nested ones: both would take long to make. */
function parts(random: Random, depth: number): string {
  const boundary = `b${random.below(1e6)}`;
  const kind = random.pick(["mixed", "alternative", "related", "digest", "x"]);
  const isWide = random.chance(0.05);
  const part = (): string => {
    if (isWide) return attachment(random);
    if (depth > 0 && random.chance(0.2)) return parts(random, depth - 1);
    return random.pick([plain, html, encoded, attachment])(random).slice(0, 4000);
  };
  const count = random.below(isWide ? 2000 : 5);
  const all = Array.from({ length: count }, () => `--${boundary}\r\n${part()}\r\n`);
  const end = random.chance(0.9) ? `--${boundary}--\r\n` : "";
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${all.join("")}${end}`;
}

const attachment = (random: Random): string =>
  `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${oneLine(random).replaceAll('"', "")}"\r\n\r\n${word(random)}`;

function nestedMails(random: Random): string {
  const levels = random.pick([1, 3, 40, 3000]);
  return `${"Content-Type: message/rfc822\r\n\r\n".repeat(levels)}Subject: inside\r\n\r\n${word(random)}`;
}
