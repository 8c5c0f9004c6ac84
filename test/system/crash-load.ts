// The load of the crash test: the requests of a client, their responses, and the requests it repeats without one.
import { agentBody, token, wakeBody } from "./lab.ts";
import { post, type Reply } from "../support/process.ts";

export type Sent = {
  /** A word that only this request's text contains. */
  marker: string;
  hook: "wake" | "agent";
  /** Requests of one conversation are sent one after another, so their numbers are their order. */
  sessionKey: string | null;
  order: number;
  key: string | null;
  body: string;
  /** Every 2xx it got: one, or more with a key. */
  responses: Reply[];
};

export type Load = {
  sent: Sent[];
  /** Sends no more, and resolves when no request is in flight. */
  stop(): Promise<void>;
  /** Sends everything with a key again. */
  repeatAll(): Promise<void>;
  /** Ends the load at once, for a test that has failed. */
  abandon(): void;
};

export type LoadOptions = {
  /** Resolves with the address of a gateway that is ready. */
  address: () => Promise<string>;
  random: () => number;
  /** The average pause of one sender between two requests. */
  betweenMs?: number;
  /** Called for each response that is no 2xx, and with null when none came; throws when that is a fault. */
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
    const request: Sent = { marker, hook, sessionKey, order, key, body, responses: [] };
    sent.push(request);
    return request;
  };

  /** With a key it is sent until a response comes; without one, a lost response leaves open whether it was accepted. */
  const send = async (request: Sent): Promise<void> => {
    const { hook, key, body } = request;
    do {
      const url = await address();
      const reply = await post({ url, hook, token, body, key }).catch(() => null);
      if (reply && reply.status < 300) return void request.responses.push(reply);
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

  /** Now and then a request with a key and a response is sent again, before and after crashes. */
  const repeater = async (): Promise<void> => {
    while (going) {
      const candidates = sent.filter(({ key, responses }) => key !== null && responses.length > 0);
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
  if (reply && reply.status !== 503) throw new Error(`unexpected response ${JSON.stringify(reply)}`);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
