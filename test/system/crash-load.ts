// The load of the crash test: what a client sends, what it was told, and what it sends again when it was told nothing.
import { agentBody, token, wakeBody } from "./lab.ts";
import { post, type Reply } from "../support/process.ts";

export type Sent = {
  /** A word that stands in this request's text and in no other's. */
  marker: string;
  hook: "wake" | "agent";
  /** Requests of one conversation are sent one after another, so their numbers are their order. */
  sessionKey: string | null;
  order: number;
  key: string | null;
  body: string;
  /** Every 2xx it got: one, or more with a key. */
  answers: Reply[];
};

export type Load = {
  sent: Sent[];
  /** Sends no more, and resolves when nothing is on its way. */
  stop(): Promise<void>;
  /** Sends everything with a key again. */
  repeatAll(): Promise<void>;
  /** Ends it at once, for a test that has failed. */
  abandon(): void;
};

export type LoadOptions = {
  /** Resolves with the address of a gateway that is ready. */
  address: () => Promise<string>;
  random: () => number;
  /** Of one sender, on average. */
  betweenMs?: number;
  /** Judges what is no 2xx, and throws when it must not be; null: no answer came. */
  onRefusal?: (reply: Reply | null, request: Sent, url: string) => void;
};

const conversations = ["lab:a", "lab:b", "lab:c", "lab:d"];

export function startLoad({ address, random, betweenMs = 300, onRefusal = only503 }: LoadOptions): Load {
  const sent: Sent[] = [];
  let going = true;
  let abandoned = false;

  const prepare = (hook: Sent["hook"], sessionKey: string | null): Sent => {
    const order = sent.length;
    const marker = `marker-${order}-`;
    const steps = random() < 0.05 ? 60 : Math.floor(random() * 3);
    const wakeMode = random() < 0.5 ? "now" : "next-heartbeat";
    const body =
      hook === "wake"
        ? wakeBody(marker, wakeMode)
        : agentBody({
            message: `${marker} [steps ${steps}]`,
            wakeMode,
            name: marker,
            ...(sessionKey !== null && { sessionKey }),
          });
    const key = random() < 0.4 ? `key-${order}` : null;
    const request: Sent = { marker, hook, sessionKey, order, key, body, answers: [] };
    sent.push(request);
    return request;
  };

  /** With a key it is sent until it is answered; without one, a lost answer leaves open whether it was accepted. */
  const send = async (request: Sent): Promise<void> => {
    const { hook, key, body } = request;
    do {
      const url = await address();
      const reply = await post({ url, hook, token, body, key }).catch(() => null);
      if (reply && reply.status < 300) return void request.answers.push(reply);
      onRefusal(reply, request, url);
      if (key !== null) await pause(random() * betweenMs);
    } while (key !== null && !abandoned);
  };

  const sender = async (hook: Sent["hook"], sessionKey: string | null): Promise<void> => {
    while (going) {
      await address();
      const request = prepare(hook, sessionKey);
      await send(request);
      await pause(random() * 2 * betweenMs);
    }
  };

  /** Now and then an answered request with a key comes again, before and after crashes. */
  const repeater = async (): Promise<void> => {
    while (going) {
      const candidates = sent.filter(({ key, answers }) => key !== null && answers.length > 0);
      const chosen = candidates[Math.floor(random() * candidates.length)];
      if (chosen) await send(chosen);
      await pause(random() * 2 * betweenMs);
    }
  };

  const senders = [
    ...conversations.map((sessionKey) => sender("agent", sessionKey)),
    sender("agent", null),
    sender("agent", null),
    sender("wake", null),
    repeater(),
  ];
  const all = Promise.all(senders);
  all.catch(() => {});

  return {
    sent,
    async stop() {
      going = false;
      await all;
    },
    abandon() {
      going = false;
      abandoned = true;
    },
    async repeatAll() {
      for (const request of sent) if (request.key !== null) await send(request);
    },
  };
}

function only503(reply: Reply | null): void {
  if (reply && reply.status !== 503) throw new Error(`unexpected answer ${JSON.stringify(reply)}`);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
