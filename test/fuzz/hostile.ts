// Broken connections: requests with changed, missing or contradictory bytes, and callers that end, reset or fall
// silent. Each has a connection of its own.
import { changed } from "./bodies.ts";
import { maxBodyBytes, token } from "./gateway.ts";
import type { Random } from "./random.ts";
import { wholeRequest } from "./request.ts";
import { word } from "./values.ts";

/**
 * What the caller does when it has sent everything: `end` closes its side and reads on, `reset` is gone, `silent`
 * does nothing any more in the middle of a request.
 */
export type Ending = "end" | "reset" | "silent";

export type Hostile = { bytes: Buffer; ending: Ending; hook: string };

export function hostileConnection(random: Random, corpus: readonly Buffer[]): Hostile {
  return random.weighted([
    [60, () => mutated(random, corpus)],
    [20, () => conflicting(random)],
    [19, () => halfSent(random)],
    [0.02, () => silent(random)],
  ])();
}

const endingOf = (random: Random): Ending => (random.chance(0.85) ? "end" : "reset");

function mutated(random: Random, corpus: readonly Buffer[]): Hostile {
  const fromCorpus = corpus.length > 0 && random.chance(0.7);
  let bytes = fromCorpus ? random.pick(corpus) : wholeRequest(random).bytes;
  if (random.chance(0.15)) bytes = Buffer.concat([bytes, fromCorpus ? random.pick(corpus) : bytes]);
  for (let times = 1 + random.below(4); times > 0; times--) bytes = mutate(bytes, random, corpus);
  return { bytes, ending: endingOf(random), hook: hookIn(bytes) };
}

const pieces = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  ": ",
  "\0",
  "\u00ff",
  "HTTP/1.1",
  "HTTP/0.9",
  "HTTP/2.0",
  "POST ",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Host: y\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive, Transfer-Encoding\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\n",
  `Authorization: Bearer ${token}\r\n`,
  " folded\r\n",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "{}",
];

function mutate(bytes: Buffer, random: Random, corpus: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1);
  const insert = (piece: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  return random.weighted([
    [4, () => changed(bytes, random)],
    [4, () => insert(Buffer.from(random.pick(pieces), "latin1"))],
    [3, () => atLine(bytes, random, (lines, line) => lines.toSpliced(line, 1))],
    [3, () => atLine(bytes, random, (lines, line) => lines.toSpliced(line, 0, lines[line]!))],
    [
      3,
      () => atLine(bytes, random, (lines, line) => lines.toSpliced(line, 0, random.pick(pieces).trimEnd())),
    ],
    [
      1,
      () =>
        atLine(bytes, random, (lines, line) =>
          lines.toSpliced(line, 0, `X: ${"y".repeat(random.below(20_000))}`),
        ),
    ],
    [1, () => bytes.subarray(0, at)],
    [1, () => bytes.subarray(at)],
    [1, () => insert(corpus.length > 0 ? random.pick(corpus) : bytes)],
  ])();
}

/** Header lines are where most of the rules are. */
function atLine(bytes: Buffer, random: Random, change: (lines: string[], line: number) => string[]): Buffer {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const lines = (end === -1 ? text : text.slice(0, end)).split("\r\n");
  const head = change(lines, random.below(lines.length)).join("\r\n");
  return Buffer.from(head + (end === -1 ? "" : text.slice(end)), "latin1");
}

const headOf = (hook: string, ...headers: string[]): string =>
  [`POST /hooks/${hook} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`, ...headers, "", ""].join(
    "\r\n",
  );

/** Two statements about one body: a proxy could believe the other. */
function conflicting(random: Random): Hostile {
  const hook = random.pick(["wake", "agent", "templated", "gmail", "nowhere"]);
  const body = '{"text":"x","message":"y"}';
  const length = body.length;
  const chunks = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const smuggled = headOf("wake", "Content-Length: 12").concat('{"text":"s"}');
  const text = random.pick([
    () => headOf(hook, `Content-Length: ${length}`, "Transfer-Encoding: chunked") + chunks,
    () =>
      headOf(hook, "Transfer-Encoding: chunked", `Content-Length: ${random.below(60)}`) + chunks + smuggled,
    () => headOf(hook, `Content-Length: ${length}`, `Content-Length: ${length + 1}`) + body,
    () => headOf(hook, `Content-Length: ${length}, ${length}`) + body,
    () => headOf(hook, "Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunks,
    () => headOf(hook, "Transfer-Encoding: \tchunked ") + chunks,
    () => headOf(hook, "Transfer-Encoding: xchunked") + chunks,
    () => headOf(hook, "Transfer-Encoding : chunked") + chunks,
    () => headOf(hook, "Content-Length: 0x1a") + body,
    () => headOf(hook, `Content-Length: ${length - 1 - random.below(9)}`) + body,
    () => headOf(hook, `Content-Length: ${length + 1 + random.below(9)}`) + body + smuggled,
    () => headOf(hook, `Content-Length: ${maxBodyBytes + random.below(1e9)}`) + body,
    () => headOf(hook, "Expect: 100-continue", `Content-Length: ${length}`) + body,
    () => headOf(hook, "Expect: 100-continue", `Content-Length: ${length + 5}`) + body,
    () => headOf(hook, "Expect: 100-continue", "Transfer-Encoding: chunked") + chunks.slice(0, -5),
    () => headOf(hook, "Transfer-Encoding: chunked") + chunks.replace("\r\n0\r\n", `\r\n${word(random)}\r\n`),
    () => headOf(hook, "Transfer-Encoding: chunked") + chunks.slice(0, -2) + "Bad Trailer\r\n\r\n",
    () =>
      headOf(hook, "Transfer-Encoding: chunked") + chunks.slice(0, -2) + `X: ${"t".repeat(20_000)}\r\n\r\n`,
    () =>
      headOf(hook, "Transfer-Encoding: chunked") +
      `${"0".repeat(random.below(40_000))}5\r\nabcde\r\n0\r\n\r\n`,
    () =>
      headOf(hook, "Transfer-Encoding: chunked") + `1;${"e".repeat(random.below(40_000))}\r\n1\r\n0\r\n\r\n`,
    () => `CONNECT x:${random.below(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n${smuggled}`,
    () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    () => "\r\n".repeat(random.below(40)) + smuggled,
    () => `${word(random)}\r\n\r\n`,
    () => `\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003${word(random)}`,
  ])();
  return { bytes: Buffer.from(text, "latin1"), ending: endingOf(random), hook };
}

function halfSent(random: Random): Hostile {
  const { bytes, hook } = wholeRequest(random);
  return {
    bytes: bytes.subarray(0, 1 + random.below(bytes.length)),
    ending: random.pick(["end", "reset"]),
    hook,
  };
}

/** Half a head, or half a body: the gateway must time out. */
function silent(random: Random): Hostile {
  const text = random.chance(0.2)
    ? "POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAutho"
    : headOf("wake", "Content-Length: 40") + '{"text":';
  return { bytes: Buffer.from(text), ending: "silent", hook: "wake" };
}

const targetIn = /^\S+ \/(?:hooks\/)?(listed\/wake|listed\/runs|crm\/in|[a-z]+)/;

/** The hook of the first request, if it is one of ours. */
function hookIn(bytes: Buffer): string {
  const name = targetIn.exec(bytes.toString("latin1", 0, 60))?.[1] ?? "";
  return ours.has(name) ? name : "unknown";
}

const ours = new Set(
  "wake agent templated listed/wake listed/runs filtered crm/in changed gmail healthz readyz metrics".split(
    " ",
  ),
);
