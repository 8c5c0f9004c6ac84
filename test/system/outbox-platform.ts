// A platform for the outbox test: takes messages as Telegram does, slowly, and sometimes asks for a retry.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** `life` numbers the gateway process that sent it; `word` is the run and part at the start of its text. */
export type Received = { chat: string; word: string; life: number };

export type OutboxPlatform = {
  addressFor(life: number): string;
  /** The messages, in order of arrival. */
  received: Received[];
  /** Messages whose sender was gone before it got a response. */
  interrupted(): number;
  /** Resolves when a message of this life has been taken. */
  messageOf(life: number): Promise<void>;
  close(): void;
};

const longestAnswerMs = 40;
const busyShare = 0.05;

export async function startOutboxPlatform(random: () => number): Promise<OutboxPlatform> {
  const received: Received[] = [];
  const firsts = new Map<number, PromiseWithResolvers<void>>();
  const firstOf = (life: number): PromiseWithResolvers<void> => {
    const first = firsts.get(life) ?? Promise.withResolvers<void>();
    firsts.set(life, first);
    return first;
  };
  let interrupted = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { chat_id: number; text: string };
    if (random() < busyShare) return respond(response, 429, { ok: false, parameters: { retry_after: 0 } });
    const life = Number(/^\/life-(\d+)\//.exec(request.url ?? "")?.[1]);
    received.push({ chat: String(body.chat_id), word: body.text.split(" ", 1)[0] ?? "", life });
    firstOf(life).resolve();
    response.on("close", () => {
      if (!response.writableEnded) interrupted++;
    });
    setTimeout(
      () => respond(response, 200, { ok: true, result: { message_id: received.length } }),
      random() * longestAnswerMs,
    );
  }

  // A request that breaks off is incomplete, so its message does not count.
  const server = createServer((request, response) => void handle(request, response).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    addressFor: (life) => `http://127.0.0.1:${port}/life-${life}`,
    received,
    interrupted: () => interrupted,
    messageOf: (life) => firstOf(life).promise,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function respond(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
