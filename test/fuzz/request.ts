// Whole requests. HTTP promises exactly one response to each, so they can follow one another on a connection without
// waiting.
import { bodyFor, numberedBody } from "./bodies.ts";
import { goodTypedBody, typedBody } from "./forms.ts";
import { gatewayToken, maxBodyBytes, token } from "./gateway.ts";
import { addOddities, authorization, type Draft } from "./headers.ts";
import { hurtfulBody, hurtfulHooks } from "./hurtful.ts";
import type { Random } from "./random.ts";
import { word } from "./values.ts";

export type Whole = {
  bytes: Buffer;
  /** The hook or path it was sent to, by which outcomes are counted. */
  hook: string;
  /** Its response has no body. */
  isHead: boolean;
  /** The response may end the connection, so no request may follow it there. */
  mayClose: boolean;
  /** `yes`: it must be accepted. `no`: it must not. Null: either. */
  accepted: "yes" | "no" | null;
};

const hooks: readonly (readonly [number, string])[] = [
  [20, "wake"],
  [16, "agent"],
  [8, "templated"],
  [5, "listed/wake"],
  [3, "listed/runs"],
  [8, "filtered"],
  [5, "crm/in"],
  [8, "typed"],
  [4, "changed"],
  [4, "gmail"],
  [6, "unknown"],
  [5, "odd-target"],
  [6, "health"],
  [1, "metrics"],
];

export function wholeRequest(random: Random): Whole {
  const hook = random.weighted(hooks);
  if (hook === "health") return healthRequest(random);
  if (hook === "metrics") return metricsRequest(random);
  const isRepeat = (hook === "wake" || hook === "agent") && random.chance(0.05);
  const number = random.below(2000);
  const typed = hook === "typed" ? (random.chance(0.6) ? goodTypedBody : typedBody)(random) : null;
  const body =
    typed ?? (isRepeat ? { bytes: numberedBody(hook, number), good: true } : bodyFor(hook, random));
  const authority = authorization(random);
  const odd = random.chance(0.35);
  const draft: Draft = {
    method: odd && random.chance(0.12) ? random.pick(methods) : "POST",
    target: hook === "odd-target" ? random.pick(oddTargets(random)) : targetOf(hook, odd, random),
    version: odd && random.chance(0.03) ? "1.0" : "1.1",
    headers: [
      ...authority.headers,
      ...(typed ? [`Content-Type: ${typed.type}`] : []),
      ...(hook === "filtered" ? [`X-Event: ${random.pick(["push", "pull"])}`] : []),
    ],
    body: body.bytes,
    framing: random.chance(0.15) ? "chunked" : "length",
  };
  if (isRepeat) draft.headers.push(`Idempotency-Key: again-${number}`);
  const closes = odd ? addOddities(draft, random) : false;
  if (draft.version === "1.0" && draft.framing === "chunked") draft.framing = "length";
  const isGood = body.good && authority.right && !odd && hook !== "unknown" && hook !== "odd-target";
  return {
    bytes: written(draft, random),
    hook,
    isHead: draft.method === "HEAD",
    mayClose: closes || hook === "odd-target" || mayClose(draft, isGood),
    accepted: isGood ? "yes" : authority.right ? null : "no",
  };
}

/** Small to send, and much to work through. It may be refused. */
export function hurtfulRequest(random: Random): Whole {
  const hook = random.pick(hurtfulHooks);
  const draft: Draft = {
    method: "POST",
    target: `/hooks/${hook}`,
    version: "1.1",
    headers: [`Authorization: Bearer ${token}`],
    body: hurtfulBody(hook, random),
    framing: "length",
  };
  return { bytes: written(draft, random), hook, isHead: false, mayClose: true, accepted: null };
}

/** Whether a response before the body's end would leave too much, or an unknown amount, to discard. */
const mayClose = ({ version, body, framing }: Draft, isGood: boolean): boolean =>
  version === "1.0" || body.length > maxBodyBytes || (framing === "chunked" && !isGood);

function healthRequest(random: Random): Whole {
  const target = random.pick(["/healthz", "/readyz"]);
  const line = `${random.pick(["GET", "GET", "POST", "OPTIONS"])} ${target} HTTP/1.1\r\nHost: x\r\n`;
  const bytes = Buffer.from(`${line}${random.chance(0.2) ? `X-A: ${word(random)}\r\n` : ""}\r\n`);
  return { bytes, hook: target.slice(1), isHead: false, mayClose: false, accepted: "yes" };
}

/** Served to any loopback caller; with a proxy's header only with the service's own token. */
function metricsRequest(random: Random): Whole {
  const method = random.pick(["GET", "GET", "HEAD", "POST", "PUT"]);
  const sign = random.pick(["", "", "Via: 1.1 x\r\n", "X-Forwarded-For: 1.2.3.4\r\n"]);
  const authorization = random.pick([
    "",
    `Authorization: Bearer ${token}\r\n`,
    `Authorization: Bearer ${gatewayToken}\r\n`,
  ]);
  const target = random.pick(["/metrics", "/metrics?x=%zz"]);
  const host = random.pick(["127.0.0.1:1", "[::1]", "localhost", "evil.example", ""]);
  const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${sign}${authorization}\r\n`;
  return {
    bytes: Buffer.from(head),
    hook: "metrics",
    isHead: method === "HEAD",
    mayClose: false,
    accepted: null,
  };
}

const methods = [
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "PROPFIND",
  "TRACE",
  "QUERY",
  "M-SEARCH",
];

function targetOf(hook: string, odd: boolean, random: Random): string {
  const path = `/hooks/${hook === "unknown" ? unknownName(random) : hook}`;
  if (!odd || random.chance(0.6)) return path;
  return random.pick([
    `${path}/`,
    `${path}?q=${encodeURIComponent(word(random))}`,
    `${path}?`,
    `${path}?token=x`,
    `${path}?a=1&TO%4bEN`,
    `${path}?q=%zz&q=%ff&__proto__=1`,
    `${path}?${"a=1&".repeat(random.below(200))}`,
  ]);
}

const unknownName = (random: Random): string =>
  random.pick([
    "",
    word(random),
    "Wake",
    "wake/x",
    "gmail/",
    "templated%20",
    "x".repeat(300),
    "crm",
    "listed",
  ]);

const oddTargets = (random: Random): readonly string[] => [
  "/",
  "*",
  "/hooks",
  "/hooks/",
  "/hooks//wake",
  "/hooks/./wake",
  "/hooks/../hooks/wake",
  "/hooks/%2e%2e/wake",
  "/hooks%2fwake",
  "/hooks/a%5cb",
  "/hooks\\wake",
  "/ho%6fks/wake",
  "http://x/hooks/wake",
  "/hooksx/wake",
  "/HOOKS/wake",
  "/hooks/wake#top",
  "/hooks/wake;v=1",
  `/hooks/${"a/".repeat(random.below(500))}`,
  `/hooks/wake\u00e9`,
  "/healthz/",
  "/healthz?x=1",
  "/admin",
  "/favicon.ico",
];

function written(draft: Draft, random: Random): Buffer {
  const { method, target, version, headers, body, framing } = draft;
  const lines = [
    `${method} ${target} HTTP/${version}`,
    `Host: ${random.pick(["x", "127.0.0.1", "", "[::1]:1"])}`,
  ];
  const framed =
    framing === "chunked"
      ? { header: "Transfer-Encoding: chunked", bytes: chunked(body, random) }
      : { header: `Content-Length: ${body.length}`, bytes: body };
  const all = random.chance(0.5) ? [...headers, framed.header] : [framed.header, ...headers];
  const head = `${[...lines, ...all].join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), framed.bytes]);
}

function chunked(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const length = Math.min(body.length - at, 1 + random.below(random.pick([3, 60, 20_000])));
    const size = random.chance(0.3)
      ? length.toString(16).toUpperCase().padStart(4, "0")
      : length.toString(16);
    const extension = random.chance(0.05) ? ';a="b";c' : "";
    pieces.push(Buffer.from(`${size}${extension}\r\n`), body.subarray(at, at + length), Buffer.from("\r\n"));
    at += length;
  }
  const trailers = random.chance(0.1) ? "Authorization: Bearer x\r\nX-Trailer: 1\r\n" : "";
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailers}\r\n`)]);
}
