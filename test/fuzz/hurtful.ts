// Whole requests that are small to send and large to work through: they must cost the caller a refusal, or the gateway
// a bounded time, and never hold the others.
import { maxBodyBytes } from "./gateway.ts";
import { prose } from "./prose.ts";
import type { Random } from "./random.ts";

export const hurtfulHooks = ["hurt/each", "hurt/loop", "hurt/filters", "hurt/runs", "hurt/changed"] as const;
export type HurtfulHook = (typeof hurtfulHooks)[number];

/** A JSON body that nearly fills what is allowed. */
export function hurtfulBody(hook: HurtfulHook, random: Random): Buffer {
  const room = maxBodyBytes - 2000;
  const payload = random.weighted<() => string>([
    [4, () => many(hook, random, room)],
    [1, () => numbers(room)],
    [1, () => JSON.stringify({ items: ["a"], list: ["a"], text: text(random, room) })],
    [1, () => `{"items":[1],"list":[2],"text":"x","other":${"[".repeat(400)}${"]".repeat(400)}}`],
  ])();
  const bytes = Buffer.from(payload);
  return bytes.length <= maxBodyBytes
    ? bytes
    : Buffer.from(JSON.stringify({ items: [], list: [], text: "" }));
}

/** Each element may see all of the payload. */
function many(hook: HurtfulHook, random: Random, room: number): string {
  const count = random.pick([5, 300, 1000]);
  const items = Array.from({ length: hook === "hurt/runs" ? Math.min(count, 40) : count }, (_, at) => ({
    n: at,
  }));
  const start = JSON.stringify({ items, text: "t" }).slice(0, -1);
  const left = Math.max(0, room - start.length - 12);
  const rest = random.chance(0.5) ? keys(left) : `"list":[${"1,".repeat(left / 2 - 20)}1]`;
  return `${start},${rest}}`;
}

function keys(room: number): string {
  const pairs: string[] = [];
  for (let at = 0, length = 0; length < room - 20; at++) {
    const pair = `"k${at}":1`;
    pairs.push(pair);
    length += pair.length + 1;
  }
  return pairs.join(",") || '"k":1';
}

/** None of them can be held by a number of the language. */
const numbers = (room: number): string =>
  `{"items":[12345678901234567891,1e400],"text":"t","list":[${"12345678901234567891,".repeat(room / 21 - 10)}1e-400]}`;

const text = (random: Random, room: number): string =>
  random
    .pick([() => "a ".repeat(room / 2), () => "\u200b".repeat(room / 6), () => prose(random, room / 4)])()
    .slice(0, room / 2);
