// An input by its number: the same seed, number and corpus give the same one.
import { type Hostile, hostileConnection } from "./hostile.ts";
import { oddMail } from "./mails.ts";
import { type Random, randomFor } from "./random.ts";
import { hurtfulRequest, type Whole, wholeRequest } from "./request.ts";

/** The rest are whole requests. */
const shares = { hostile: 250, mail: 4, hurtful: 1, whole: 745 };

export type Input =
  | { kind: "whole"; whole: Whole }
  | { kind: "hostile"; hostile: Hostile }
  | { kind: "mail"; raw: Buffer };

export function inputOf(seed: number, number: number, corpus: readonly Buffer[]): Input & { random: Random } {
  const random = randomFor(seed, number);
  const input = random.weighted<() => Input>([
    [shares.whole, () => ({ kind: "whole", whole: wholeRequest(random) })],
    [shares.hostile, () => ({ kind: "hostile", hostile: hostileConnection(random, corpus) })],
    [shares.mail, () => ({ kind: "mail", raw: oddMail(random, number) })],
    [shares.hurtful, () => ({ kind: "whole", whole: hurtfulRequest(random) })],
  ])();
  return { ...input, random };
}

const longestShown = 3000;

/** As text with one character for each byte, to be put into the corpus or a test. */
export const shown = (input: Input): string =>
  JSON.stringify(bytesOf(input).toString("latin1")).slice(0, longestShown);

function bytesOf(input: Input): Buffer {
  if (input.kind === "mail") return input.raw;
  return (input.kind === "whole" ? input.whole : input.hostile).bytes;
}
