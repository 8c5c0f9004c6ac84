// The headers of whole requests: tokens, and odd or irrelevant fields.
import { maxBodyBytes, otherToken, token } from "./gateway.ts";
import type { Random } from "./random.ts";
import { anyText, word } from "./values.ts";

/** The parts that a request is written from. */
export type Draft = {
  method: string;
  target: string;
  version: "1.1" | "1.0";
  headers: string[];
  body: Buffer;
  framing: "length" | "chunked";
};

export function authorization(random: Random): { headers: string[]; right: boolean } {
  const right = (...headers: string[]) => ({ headers, right: true });
  const wrong = (...headers: string[]) => ({ headers, right: false });
  return random.weighted([
    [80, () => right(`Authorization: Bearer ${token}`)],
    [4, () => right(`x-gateway-token: ${token}`)],
    [3, () => right(`AUTHORIZATION:  bEaReR \t ${token}\t`)],
    [2, () => right(`Authorization: Bearer ${otherToken}`)],
    [1, () => right("Authorization: Basic eDp5", `X-Gateway-Token: ${token}`)],
    [2, () => wrong()],
    [2, () => wrong(`Authorization: Bearer ${word(random)}`)],
    [1, () => wrong(`Authorization: Bearer ${token.slice(0, -1)}`)],
    [1, () => wrong(`Authorization: Bearer ${token}`, `authorization: Bearer ${token}`)],
    [1, () => wrong(`Authorization: Bearer x`, `X-Gateway-Token: ${token}`)],
    [1, () => wrong(`Authorization: ${token}`)],
    [1, () => wrong(`Authorization: Bearer ${token.toUpperCase()}`)],
    [1, () => wrong(`Cookie: token=${token}`, `X-Forwarded-For: ${forwarded(random)}`)],
  ])();
}

const forwarded = (random: Random): string =>
  random.pick([
    `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
    `2001:db8:${random.below(65_536).toString(16)}::1`,
    "127.0.0.1, unknown, 127.0.0.1",
    "[::1]:80, ::ffff:127.0.0.1",
    ",,, ,",
    "999.1.1.1",
    "1.2.3.4,".repeat(400),
  ]);

/** Adds odd headers; true when the response may end the connection. */
export function addOddities(draft: Draft, random: Random): boolean {
  let closes = false;
  for (let times = 1 + random.below(3); times > 0; times--) {
    closes =
      random.weighted<() => boolean | void>([
        [6, () => void draft.headers.push(`Content-Type: ${random.pick(contentTypes)}`)],
        [
          3,
          () =>
            void draft.headers.push(
              `Content-Encoding: ${random.pick(["identity", "gzip", "br", "", "x, y"])}`,
            ),
        ],
        [6, () => void draft.headers.push(...idempotencyKeys(random))],
        [4, () => void draft.headers.push(`X-Forwarded-For: ${forwarded(random)}`)],
        [
          4,
          () => void draft.headers.push(`X-${word(random).replace(/[^a-z0-9]/g, "")}: ${headerText(random)}`),
        ],
        [
          2,
          () =>
            void draft.headers.push(
              ...Array.from({ length: random.below(150) }, (_, at) => `X-${at}: ${at}`),
            ),
        ],
        [2, () => void draft.headers.push(`X-Long: ${"x".repeat(random.below(9000))}`)],
        [1, () => draft.headers.push("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c") > 0],
        [1, () => void draft.headers.push(`traceparent: ${random.pick(traces)}`)],
        [1, () => void (draft.headers = draft.headers.filter((each) => !each.includes(token)))],
        [1, () => void (draft.body = Buffer.alloc(maxBodyBytes + 1 + random.below(60_000), 0x20))],
        [
          1,
          () =>
            draft.headers.push(`Expect: ${random.pick(["100-continue", "100-Continue", "wonders", ""])}`) > 0,
        ],
        [1, () => draft.headers.push("Connection: close") > 0],
      ])() === true || closes;
  }
  return closes;
}

const contentTypes = [
  "application/json",
  "Application/JSON; charset=UTF-8",
  "text/plain",
  "application/cloudevents+json",
  "text/html",
  "application/jsonx",
  "multipart/form-data; boundary=application/json",
  "application/x-www-form-urlencoded; charset=latin1",
  "text/xml",
  'multipart/form-data; boundary="',
  ";",
  "/+json",
  "a/b+json;;;=",
  "\u00e9",
];

const idempotencyKeys = (random: Random): string[] =>
  random.pick([
    () => [`Idempotency-Key: ${random.below(500)}`],
    () => [`Idempotency-Key: ${"k".repeat(random.pick([0, 1, 255, 256, 3000]))}`],
    () => ["Idempotency-Key: a b"],
    () => ["Idempotency-Key: \u00e9"],
    () => ["Idempotency-Key: one", "idempotency-key: two"],
  ])();

const traces = [
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-00000000000000000000000000000000-0000000000000000-00",
  "ff-x",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra",
];

/** One character for each byte, without those that headers forbid. */
const headerText = (random: Random): string =>
  random.chance(0.5)
    ? Array.from({ length: random.below(30) }, () => String.fromCharCode(0x80 + random.below(0x80))).join("")
    : Buffer.from(anyText(random))
        .toString("latin1")
        .replace(/\p{Cc}/gu, "\t");
