// An `http` agent that records when each run's request arrived. As "hold" it never replies, as if its work took longer
// than the measurement; as "reply" it replies at once.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const replies = process.argv[2] === "reply";
const reply = Buffer.from('{"reply":"done"}');
const headers = ["Content-Type", "application/json", "Content-Length", String(reply.length)];

let arrivals: [runId: string, atUs: number][] = [];

const server = createServer((request, response) => {
  const atUs = Number(process.hrtime.bigint()) / 1000;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { runId } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { runId?: string };
    if (runId !== undefined) arrivals.push([runId, atUs]);
    if (!replies) return;
    response.writeHead(200, headers);
    response.end(reply);
  });
});
process.on("message", () => {
  process.send?.(arrivals);
  arrivals = [];
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
