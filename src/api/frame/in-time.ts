// A read that takes too long is given up: whoever asked has an answer, and the store goes on in its own time.
import type { Clock } from "../../core/clock.ts";
import { type Refusal, refuse } from "../../core/errors.ts";

const longestReadMs = 5_000;

export async function inTime<T>(clock: Pick<Clock, "after">, read: Promise<T>): Promise<T | Refusal> {
  const late = Promise.withResolvers<Refusal>();
  const cancelTimer = clock.after(longestReadMs, () =>
    late.resolve(refuse("too-slow", { retryAfterSeconds: 5 })),
  );
  return Promise.race([read, late.promise]).finally(cancelTimer);
}
