// What the rungs of a sender's path share.
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Metrics } from "../../core/metrics.ts";
import type { Acceptance, Stored } from "../../core/request.ts";
import type { CallResult } from "../../core/sender.ts";
import type { Trace } from "../../core/trace.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { FailureCounter } from "../../http/shared-throttle.ts";
import type { Throttle } from "../../http/throttle.ts";
import type { Responses } from "../responses.ts";
import type { TakeDeps } from "../take.ts";
import type { Calls } from "./calls.ts";
import type { Diagnosis } from "./changed-body.ts";
import type { ProofDeps } from "./kind.ts";
import type { PairedKeys } from "./pairing.ts";
import type { Places } from "./places.ts";
import type { Sender } from "./prepare.ts";
import type { SenderHead } from "./request.ts";

/** What outlives a configuration. */
export type SenderParts = {
  readonly places: Places;
  /** Failed proofs by sender and address, apart from failed tokens. */
  readonly failures: FailureCounter & Pick<Throttle, "limited">;
  readonly keys: PairedKeys;
  readonly calls: Calls;
  readonly diagnosis: Diagnosis;
  readonly findDocument: ProofDeps["fetchText"];
  /** Asks an address each time. */
  readonly fetchText: (url: string) => Promise<string>;
  /** How long an unproven body may take. */
  readonly bodyTimeoutMs: number;
};

export type SenderLadder = TakeDeps & {
  senders: SenderParts;
  clock: Clock;
  log: Log;
  stopping: () => boolean;
  onStored: (acceptance: Acceptance, stored: Stored) => void;
  metrics: Pick<Metrics, "proofFailed">;
  trace: Trace;
  responses: Responses;
  clientAddress: (exchange: Exchange) => string;
};

/** One request on the ladder. */
export type Climb = {
  readonly exchange: Exchange;
  readonly sender: Sender;
  readonly head: SenderHead;
  readonly ladder: SenderLadder;
};

/** A blank stands in no address and no hook's name. */
export const failureKey = ({ exchange, sender, ladder }: Climb): string =>
  `${sender.name} ${ladder.clientAddress(exchange)}`;

export function noteFailure(
  { sender: { name }, ladder }: Climb,
  result: Exclude<CallResult, "proven">,
  skewMs: number | null = null,
): void {
  ladder.senders.calls.note(name, result, skewMs);
  ladder.metrics.proofFailed(name, result);
}
