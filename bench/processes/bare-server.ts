// The reference for rates: a bare node:http server that parses the same body and sends a constant. It checks nothing
// and stores nothing, so no server on this runtime that reads its body can be much faster. With a file it sends the
// response once the body is flushed to disk with all that arrived meanwhile, which no durable server can beat by much.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";

/** Half of the connections: the next group arrives while one is flushed. */
const largestGroup = 32;

type Keep = (body: Buffer, respond: () => void) => void;

const keepNothing: Keep = (_body, respond) => respond();

function keepIn(file: string): Keep {
  const flusher = new Worker(new URL("./flusher.ts", import.meta.url), { workerData: file });
  type Kept = { body: Buffer; respond(): void };
  const waiting: Kept[] = [];
  let flushing: Kept[] = [];
  const flush = (): void => {
    flushing = waiting.splice(0, largestGroup);
    flusher.postMessage(Buffer.concat(flushing.map(({ body }) => body)));
  };
  flusher.on("message", () => {
    for (const { respond } of flushing) respond();
    flushing = [];
    if (waiting.length > 0) flush();
  });
  return (body, respond) => {
    // After the requests that this turn of the event loop still has to deliver, as in the gateway.
    if (waiting.push({ body, respond }) === 1 && flushing.length === 0) setImmediate(flush);
  };
}

const file = process.argv[2];
const keep = file === undefined ? keepNothing : keepIn(file);
const responseBody = Buffer.from('{"ok":true,"runId":"01a1e733-979b-730b-94f2-18924cf98779"}');
const headers = [
  "Content-Type",
  "application/json; charset=utf-8",
  "Content-Length",
  String(responseBody.length),
];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    JSON.parse(body.toString("utf8"));
    keep(body, () => {
      response.writeHead(200, headers);
      response.end(responseBody);
    });
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
