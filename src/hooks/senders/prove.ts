// Proves a request on the ladder.
import { faultKind, type Refusal, refuse } from "../../core/errors.ts";
import type { Climb } from "./climb.ts";
import type { ProofDeps, ProofFailure, Proven } from "./kind.ts";
import { isPaired } from "./pairing.ts";
import type { SenderRequest } from "./request.ts";
import type { Verifier } from "./verify.ts";

/** After a failure, a key that another node took a moment ago counts. */
const freshMs = 1_000;

/** A refusal: it is not known whether the request is proven, since what the proof needs could not be had. */
export async function prove(
  climb: Climb,
  request: SenderRequest,
  verifier: Verifier,
): Promise<Proven | ProofFailure | Refusal> {
  const { sender, ladder } = climb;
  const { keys, diagnosis, findDocument: fetchText } = ladder.senders;
  const deps: ProofDeps = { now: ladder.clock.now(), settings: sender.settings, fetchText };
  try {
    const result = await verifier.prove(request, deps);
    if (!("failed" in result)) return result;
    const fresh = isPaired(sender) ? await keys.verifier(sender, freshMs) : verifier;
    if (fresh !== null && fresh !== verifier) return await fresh.prove(request, deps);
    const isChanged = result.failed === "wrong-secret" && (await diagnosis.isChanged(sender, request, deps));
    return isChanged ? { failed: "body-changed" } : result;
  } catch (fault) {
    ladder.log.warn("a proof could not be checked", { hook: sender.name, kind: faultKind(fault) });
    return refuse("proof-unavailable", { retryAfterSeconds: 5 });
  }
}
