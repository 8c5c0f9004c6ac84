// Bodies for each hook of the fuzzed gateway that it must accept, and random changes of them.
import type { Random } from "./random.ts";
import { anyText, deepJson, jsonText, oddBytes, word } from "./values.ts";

export type Body = {
  bytes: Buffer;
  /** A request with it and nothing else wrong must get a 2xx. */
  good: boolean;
};

export function bodyFor(hook: string, random: Random): Body {
  if (hook === "agent" && random.chance(0.15))
    return { bytes: Buffer.from(JSON.stringify(forbidden(random))), good: false };
  return random.weighted([
    [60, () => ({ bytes: Buffer.from(JSON.stringify(goodPayload(hook, random))), good: true })],
    [
      15,
      () => ({ bytes: changed(Buffer.from(JSON.stringify(goodPayload(hook, random))), random), good: false }),
    ],
    [15, () => ({ bytes: Buffer.from(jsonText(random)), good: false })],
    [8, () => ({ bytes: oddBytes(random), good: false })],
    [2, () => ({ bytes: Buffer.from(deepJson(random)), good: false })],
  ])();
}

/** The same number gives the same body, for repeats under the same key. */
export const numberedBody = (hook: string, number: number): Buffer =>
  Buffer.from(
    JSON.stringify(
      hook === "wake"
        ? { text: `again ${number}`, mode: "next-heartbeat" }
        : { message: `again ${number}`, wakeMode: "next-heartbeat" },
    ),
  );

const maybe = <T>(random: Random, name: string, value: () => T): Record<string, T> =>
  random.chance(0.25) ? { [name]: value() } : {};

const sessionKey = (random: Random): string =>
  random.chance(0.1) ? `fuzz:shared-${random.below(50)}` : `fuzz:${word(random)}-${random.below(1e9)}`;

const agentPayload = (random: Random): object => ({
  message: `Do ${word(random)}${anyText(random)}`,
  wakeMode: "next-heartbeat",
  deliver: random.chance(0.3),
  ...maybe(random, "name", () => word(random)),
  ...maybe(random, "agentId", () => random.pick(["main", " SECOND ", "ghost", "odd"])),
  ...maybe(random, "sessionKey", () => sessionKey(random)),
  ...random.pick([{}, {}, {}, { channel: "last" }, { channel: "Slack", to: word(random) }, chat(random)]),
  ...maybe(random, "model", () => random.pick(["one", "echo/two"])),
  ...maybe(random, "thinking", () => word(random)),
  ...maybe(random, "timeoutSeconds", () => random.pick([0.5, 60, 604_800])),
});

const chat = (random: Random): object => ({
  channel: "telegram",
  to: random.pick(["1", "-100123", "@fuzz_chat", "12345:topic:7"]),
});

/** Valid but for one value that the settings do not allow. */
const forbidden = (random: Random): object => ({
  ...agentPayload(random),
  ...random.pick<object>([
    { sessionKey: "main" },
    { sessionKey: "other:x" },
    { agentId: "nobody" },
    { model: "echo/three" },
    { channel: "pager" },
    { timeoutSeconds: 0 },
    { wakeMode: "later" },
    { deliver: "yes" },
  ]),
});

function goodPayload(hook: string, random: Random): unknown {
  const some = (most: number): number => 1 + random.below(most);
  switch (hook) {
    case "wake":
      return {
        text: `Look at ${word(random)}${anyText(random)}`,
        mode: random.chance(0.02) ? "now" : "next-heartbeat",
        ...maybe(random, "extra", () => anyText(random)),
      };
    case "agent":
      return agentPayload(random);
    case "templated":
      return {
        id: random.below(1e9),
        title: anyText(random),
        user: random.pick([{ name: anyText(random) }, null, anyText(random), []]),
        labels: Array.from({ length: random.below(5) }, () => random.pick([anyText(random), 1, null, {}])),
      };
    case "listed/wake":
      return { items: Array.from({ length: some(5) }, () => anyText(random)) };
    case "listed/runs":
      return {
        data: {
          total: random.below(9),
          items: Array.from({ length: some(3) }, () => ({ what: anyText(random) })),
        },
      };
    case "filtered":
      return { kind: { name: random.pick(["a", 1, true, null]) }, list: ["x", anyText(random)] };
    case "crm/in":
      return { source: "crm", lead: anyText(random) };
    case "gmail":
      return {
        messages: Array.from({ length: some(3) }, () => ({
          id: `m${random.below(1e9)}`,
          from: anyText(random),
          subject: anyText(random),
          snippet: anyText(random),
          body: anyText(random).repeat(some(10)),
        })),
      };
    default:
      return { title: anyText(random) };
  }
}

/** A few of its bytes taken out, doubled, or made into others. */
export function changed(bytes: Buffer, random: Random): Buffer {
  let now = bytes;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(now.length + 1);
    const length = random.below(8);
    const cut = now.subarray(at, at + length);
    const rest = now.subarray(at + length);
    const instead = random.pick([
      () => Buffer.alloc(0),
      () => Buffer.concat([cut, cut]),
      () => Buffer.from([random.below(256)]),
      () =>
        Buffer.from(random.pick(['"', "{", "}", "[", "]", ",", ":", "\\", "\0", "null", "1e9", "\\ud800"])),
      () => Buffer.from(JSON.stringify(anyText(random))),
    ])();
    now = Buffer.concat([now.subarray(0, at), instead, rest]);
  }
  return now;
}
