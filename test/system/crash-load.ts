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
};

export type LoadOptions = {
  /** Resolves with the address of a gateway that is ready. */
  address: () => Promise<string>;
  random: () => number;
};

const betweenMs = 300;
const conversations = ["lab:a", "lab:b", "lab:c", "lab:d"];

export function startLoad({ address, random }: LoadOptions): Load {
  const sent: Sent[] = [];
  let going = true;

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
      const reply = await post({ url: await address(), hook, token, body, key }).catch(() => null);
      if (reply && reply.status < 300) return void request.answers.push(reply);
      if (reply && reply.status !== 503) throw new Error(`unexpected answer ${JSON.stringify(reply)}`);
    } while (key !== null);
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
    async repeatAll() {
      for (const request of sent) if (request.key !== null) await send(request);
    },
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
