// An agent of kind `http` that replies with anything: it stands for every model and service whose words come from
// outside. A run that it refuses for a while gets its reply at the second try, so that all runs end.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { prose } from "./prose.ts";
import { type Random, randomFor } from "./random.ts";
import { anyText, jsonText } from "./values.ts";

export type OddAgent = { url: string; stop(): Promise<void> };

const longest = 60_000;

export async function startOddAgent(seed: number): Promise<OddAgent> {
  const asked = new Set<string>();
  let count = 0;
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    const isFirst = asked.size < asked.add(id).size;
    const random = randomFor(seed, count++);
    request.on("error", () => {});
    response.on("error", () => {});
    request.resume().on("end", () => respond(response, random, isFirst));
  });
  return { url: await listening(server), stop: () => stopped(server) };
}

/** Its address on loopback. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

export async function stopped(server: Server): Promise<void> {
  const ended = once(server, "close");
  server.close();
  server.closeAllConnections();
  await ended;
}

/** The body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const respond = (response: ServerResponse, random: Random, isFirst: boolean): void =>
  random.weighted<() => void>([
    [50, () => json(response, JSON.stringify({ reply: prose(random, longest), ...usage(random) }))],
    [20, () => stream(response, random)],
    [5, () => json(response, jsonText(random))],
    [3, () => json(response, `{"reply":"${"x".repeat(random.below(2_000_000))}"}`)],
    [3, () => json(response, JSON.stringify({ error: anyText(random) }))],
    [4, () => void response.writeHead(random.pick(refusals)).end(prose(random, 2000))],
    [2, () => void response.writeHead(200, { "content-type": anyAscii(random) }).end(prose(random, 2000))],
    [3, () => (isFirst ? notYet(response, random) : json(response, '{"reply":"now"}'))],
    [2, () => (isFirst ? void response.destroy() : json(response, '{"reply":"now"}'))],
    [2, () => (isFirst ? breakOff(response, random) : json(response, '{"reply":"now"}'))],
  ])();

const json = (response: ServerResponse, body: string): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(body);

const refusals = [202, 204, 205, 301, 302, 400, 401, 404, 418];

const anyAscii = (random: Random): string =>
  random.pick(["", ";", "text/html", "application/json;x", "a".repeat(4000)]);

const usage = (random: Random): object =>
  random.chance(0.6)
    ? {}
    : {
        usage: {
          inputTokens: random.pick([0, 12, 1e6, 2 ** 60, -1, 0.5, 1e308, null, "3"]),
          outputTokens: random.pick([0, 7, 2 ** 53, 1e308, -0]),
        },
      };

/** Waits that ask for nothing, a fraction, or what cannot be. */
const waits = ["0", "-1", "0.3335", "1.0005", "x", "Thu, 01 Jan 1970 00:00:00 GMT", "", "1e400"];

const notYet = (response: ServerResponse, random: Random): void =>
  void response
    .writeHead(random.pick([408, 425, 429, 500, 503]), { "retry-after": random.pick(waits) })
    .end("{}");

function breakOff(response: ServerResponse, random: Random): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  response.write(`{"reply":"${prose(random, 100)}`, () => response.destroy());
}

function stream(response: ServerResponse, random: Random): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let events = random.below(30); events > 0; events--) {
    const data = random.pick([
      () => JSON.stringify({ delta: prose(random, 3000), ...usage(random) }),
      () => prose(random, 500).replaceAll("\n", "\ndata: "),
      () => jsonText(random).replaceAll(/[\r\n]/g, " "),
    ])();
    response.write(`${random.pick(["", ": x\n", "id: 1\n", "event: delta\n"])}data: ${data}\n\n`);
  }
  response.end(random.pick(["data: [DONE]\n\n", 'data: {"reply":"end"}\n\n', "data: {", ""]));
}
