// Pulls hints from Pub/Sub, which needs no public address. A hint is acknowledged before the sync it leads to: if the
// process ends in between, the next start syncs anyway.
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import { TooLarge } from "../../core/response-body.ts";
import { retryWaitMs } from "../../core/retry.ts";
import { MailFault } from "../mailbox.ts";
import type { Caller } from "./call.ts";
import { type Hint, readHint } from "./hint.ts";
import { sleep } from "./pace.ts";
import { fieldsIn, listIn, textIn } from "./request.ts";

export type Pull = {
  start(): void;
  stop(): Promise<void>;
};

export type PullOptions = {
  call: Caller;
  /** URL of Pub/Sub. */
  endpoint: string;
  /** Full name: `projects/P/subscriptions/S`. */
  subscription: string;
  clock: Clock;
  onHint: (hint: Hint) => void;
  /** Called with the problem of pulling, or with null when it works. */
  onProblem: (message: string | null) => void;
  random?: () => number;
};

const mostMessages = 100;
/** The server holds a pull until there is a message; in case it does not, pulls keep this pause. */
const shortestPauseMs = 1000;
const faultBackOff = { firstMs: 1000, longestMs: 300_000 };

export function createPull(options: PullOptions): Pull {
  const { call, endpoint, subscription, clock, onHint, onProblem, random = Math.random } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pulling: Promise<void> | null = null;

  const post = async (verb: string, body: object) => {
    const response = await call(
      { method: "POST", url: `${endpoint}/v1/${subscription}:${verb}`, body },
      signal,
    );
    if (response === null) throw new MailFault("broken", "the subscription is not there (404)");
    return response;
  };

  async function pullOnce(): Promise<void> {
    const response = await post("pull", { maxMessages: mostMessages });
    onProblem(null);
    const received = listIn(response, "receivedMessages");
    for (const each of received) {
      const hint = readHint(fieldsIn(each, "message"));
      if (hint) onHint(hint);
    }
    const ackIds = received.map((each) => textIn(each, "ackId"));
    if (ackIds.length > 0) await post("acknowledge", { ackIds });
    else await sleep(clock, shortestPauseMs, signal);
  }

  async function pull(): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        await pullOnce();
        failures = 0;
      } catch (fault) {
        if (signal.aborted) return;
        failures++;
        const isOurs = fault instanceof MailFault || fault instanceof TooLarge;
        onProblem(`hints cannot be pulled: ${isOurs ? fault.message : faultKind(fault)}`);
        // Only a new login helps, and it starts the account again.
        if (fault instanceof MailFault && fault.kind === "reauth") return;
        const askedMs = fault instanceof MailFault ? fault.retryAfterMs : null;
        const waitMs = retryWaitMs(failures, askedMs, faultBackOff, random());
        await sleep(clock, waitMs, signal).catch(() => {});
      }
    }
  }

  return {
    start: () => void (pulling ??= pull()),
    async stop() {
      stopping.abort();
      await pulling;
    },
  };
}
