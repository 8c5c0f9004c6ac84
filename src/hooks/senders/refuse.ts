// Refuses what is not proven, and counts it.
import { type Refusal, refuse } from "../../core/errors.ts";
import { type Climb, failureKey, noteFailure } from "./climb.ts";
import type { ProofFailure } from "./kind.ts";

/**
 * Says nothing of what failed. The connection is closed where that of an unknown name would be, whose body nobody reads:
 * `closes`, unless the body arrives while the failure is counted.
 */
export async function refuseProof(
  climb: Climb,
  { failed, skewMs }: ProofFailure,
  closes = false,
): Promise<void> {
  const { exchange, sender, ladder } = climb;
  noteFailure(climb, failed, skewMs ?? null);
  const counted = sender.kind.always401 === true ? null : ladder.senders.failures.fail(failureKey(climb));
  if (!(counted instanceof Promise)) exchange.mustClose ||= closes;
  const retryAfterSeconds = counted instanceof Promise ? await counted : counted;
  ladder.responses.refuse(
    exchange,
    retryAfterSeconds === null ? refuse("unauthorized") : refuse("too-many-failures", { retryAfterSeconds }),
  );
}

/** A body that is too large, too slow or finds no place. A slow one counts as a failure: it holds a place for long. */
export async function refuseUnread(climb: Climb, refusal: Refusal): Promise<void> {
  const { exchange, ladder } = climb;
  if (refusal.refused === "body-too-large" || refusal.refused === "body-timeout")
    noteFailure(climb, refusal.refused);
  if (refusal.refused === "body-timeout") await ladder.senders.failures.fail(failureKey(climb));
  ladder.responses.refuse(exchange, refusal);
}
