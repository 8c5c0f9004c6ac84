// A user's channel made to keep the port's contract: it never throws, and all it returns has the right form.
import { z } from "zod";
import type { Channel, CheckResult, SendOutcome } from "../sdk/channel.ts";
import { cutWithMark, oneLine } from "../core/text.ts";

const longestFault = 500;

export const explain = (fault: unknown): string =>
  cutWithMark(oneLine(fault instanceof Error ? fault.message : String(fault)), longestFault);

const texts = z.array(z.string());
const outcomes = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sent") }),
  z.object({
    kind: z.literal("retry"),
    reason: z.string(),
    afterMs: z.number().min(0).nullable().default(null).catch(null),
  }),
  z.object({ kind: z.enum(["rejected", "unknown"]), reason: z.string() }),
]);
const results = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), detail: z.string() }),
  z.object({ ok: z.literal(false), reason: z.string() }),
]);

export function guarded(channel: Channel): Channel {
  return {
    idempotent: channel.idempotent,
    recipientFault(to) {
      try {
        return channel.recipientFault(to);
      } catch (fault) {
        return explain(fault);
      }
    },
    /** A reply that cannot be rendered is sent as it was written. */
    render(markdown) {
      try {
        return texts.parse(channel.render(markdown));
      } catch {
        return [markdown];
      }
    },
    async send(message, signal): Promise<SendOutcome> {
      try {
        const { data } = outcomes.safeParse(await channel.send(message, signal));
        return data ?? { kind: "unknown", reason: "the channel did not say what became of the message" };
      } catch (fault) {
        return { kind: "unknown", reason: `the channel broke: ${explain(fault)}` };
      }
    },
    async check(signal): Promise<CheckResult> {
      try {
        const { data } = results.safeParse(await channel.check(signal));
        return data ?? { ok: false, reason: "the channel did not say how its check went" };
      } catch (fault) {
        return { ok: false, reason: `the channel broke: ${explain(fault)}` };
      }
    },
  };
}
