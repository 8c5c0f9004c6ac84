// The world around the nodes: an agent that is a service, and a platform that takes messages as Telegram does. Both
// record their requests. Every process of a node has its own addresses, which tell them apart.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verify } from "../../src/sdk/client/verify.ts";
import { markerForm, monotonicMs, type Received, type ReceivedResult, type Turn } from "./history.ts";

export type World = {
  addressOf(life: string): string;
  /** Holds the next wanted hook turn, after `skip` others, open until `release`. Resolves with that turn. */
  holdTurn(skip: number, isWanted?: (turn: Turn) => boolean): Promise<Turn>;
  release(): void;
  /** Turns without a reply whose caller is still connected. */
  openTurns(): number;
  /** The turns and messages since the last call. */
  take(): { turns: Turn[]; received: Received[]; results: ReceivedResult[] };
  close(): void;
};

export const callbackSecret = `whsec_${Buffer.from("the secret of the lab's callback").toString("base64")}`;
export const partsPerReply = 2;
const longestTurnMs = 20;
/** Two of these are too long for one message. */
const filler = "word ".repeat(600);

export async function startWorld(random: () => number): Promise<World> {
  let turns: Turn[] = [];
  let received: Received[] = [];
  let results: ReceivedResult[] = [];
  let count = 0;
  let hold: Hold | null = null;
  let gate = Promise.withResolvers<void>();

  async function takeTurn(life: string, body: TurnBody, response: ServerResponse): Promise<void> {
    const turn: Turn = {
      attempt: String(++count),
      runId: body.runId,
      sessionKey: body.sessionKey,
      life,
      startedAt: monotonicMs(),
      endedAt: null,
      replied: false,
      prompt: body.message,
      reminded: (body.history ?? []).flatMap(({ text }) => replyForm.exec(text)?.[0] ?? []),
    };
    turns.push(turn);
    response.on("close", () => (turn.endedAt ??= monotonicMs()));
    await new Promise((resolve) => setTimeout(resolve, random() * longestTurnMs));
    if (hold && isHookTurn(turn) && hold.isWanted(turn) && hold.skip-- === 0) {
      hold.found.resolve(turn);
      hold = null;
      await gate.promise;
    }
    if (response.destroyed) return;
    turn.endedAt = monotonicMs();
    turn.replied = true;
    respond(response, { reply: replyTo(turn) });
  }

  function takeMessage(life: string, body: MessageBody, response: ServerResponse): void {
    const [runId = "", attempt = "", part = ""] = (body.text.split(" ", 1)[0] ?? "").split("/");
    const chat = String(body.chat_id);
    received.push({ at: monotonicMs(), life, chat, runId, attempt, part: Number(part) });
    respond(response, { ok: true, result: { message_id: received.length } });
  }

  async function takeResult(life: string, body: string, { headers }: IncomingMessage): Promise<void> {
    const given = headers as Record<string, string>;
    const at = monotonicMs();
    const { data } = JSON.parse(body) as { data: Pick<ReceivedResult, "status" | "reply"> };
    // A node's clock may be set: its signature holds its own time.
    const now = Number(given["webhook-timestamp"]) * 1000;
    const isSigned = await verify(body, given, callbackSecret, { now }).then(
      () => true,
      () => false,
    );
    const { status, reply } = data;
    results.push({ at, life, webhookId: String(given["webhook-id"]), isSigned, status, reply });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const body = JSON.parse(text) as TurnBody & MessageBody;
    const [, life = "", target = ""] = (request.url ?? "").split("/");
    if (target === "result") {
      await takeResult(life, text, request);
      return respond(response, {});
    }
    if (target === "agent") await takeTurn(life, body, response);
    else takeMessage(life, body, response);
  }

  // A request that breaks off is not recorded.
  const server = createServer((request, response) => void handle(request, response).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    addressOf: (life) => `http://127.0.0.1:${port}/${life}`,
    holdTurn(skip, isWanted = () => true) {
      hold = { skip, isWanted, found: Promise.withResolvers<Turn>() };
      return hold.found.promise;
    },
    release() {
      hold = null;
      gate.resolve();
      gate = Promise.withResolvers<void>();
    },
    openTurns: () => turns.filter(({ endedAt }) => endedAt === null).length,
    take() {
      const taken = { turns, received, results };
      turns = [];
      received = [];
      results = [];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Hold = { skip: number; isWanted: (turn: Turn) => boolean; found: PromiseWithResolvers<Turn> };
type TurnBody = { runId: string; sessionKey: string; message: string; history?: readonly { text: string }[] };
type MessageBody = { chat_id: number; text: string };

const isHookTurn = ({ sessionKey, prompt }: Turn): boolean =>
  sessionKey !== "main" && markerForm.test(prompt);

/** The start of a reply: its run, and the attempt that gave it. */
export const replyForm = /[0-9a-f-]{36}\/\d+(?=\/0 )/;

function replyTo({ sessionKey, runId, attempt }: Turn): string {
  if (sessionKey === "main") return "HEARTBEAT_OK";
  const parts = Array.from({ length: partsPerReply }, (_, part) => `${runId}/${attempt}/${part} ${filler}`);
  return parts.join("\n\n");
}

function respond(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
