// Hints from Pub/Sub, pulled: no public address is needed. A hint is acknowledged once it is taken; if the process
// ends before the look it leads to, the next start looks anyway.
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import { backOffMs } from "../../core/retry.ts";
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
  /** Of Pub/Sub. */
  endpoint: string;
  /** Its full name. */
  subscription: string;
  clock: Clock;
  onHint: (hint: Hint) => void;
  /** What is wrong with the pulling, or null. */
  onTrouble: (message: string | null) => void;
  random?: () => number;
};

const mostMessages = 100;
/** The server waits for a message before it answers; one that does not is not asked without pause. */
const shortestPauseMs = 1000;
const faultBackOff = { firstMs: 1000, longestMs: 300_000 };

export function createPull(options: PullOptions): Pull {
  const { call, endpoint, subscription, clock, onHint, onTrouble, random = Math.random } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pulling: Promise<void> | null = null;

  const post = async (verb: string, body: object) => {
    const answer = await call(
      { method: "POST", url: `${endpoint}/v1/${subscription}:${verb}`, body },
      signal,
    );
    if (answer === null) throw new MailFault("broken", "the subscription is not there (404)");
    return answer;
  };

  async function pullOnce(): Promise<void> {
    const answer = await post("pull", { maxMessages: mostMessages });
    onTrouble(null);
    const received = listIn(answer, "receivedMessages");
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
        onTrouble(`hints cannot be pulled: ${fault instanceof MailFault ? fault.message : faultKind(fault)}`);
        // Only a person can mend it, and then there is another watch.
        if (fault instanceof MailFault && fault.kind === "reauth") return;
        const askedMs = fault instanceof MailFault ? (fault.retryAfterMs ?? 0) : 0;
        await sleep(clock, Math.max(askedMs, backOffMs(failures, faultBackOff, random())), signal).catch(
          () => {},
        );
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
