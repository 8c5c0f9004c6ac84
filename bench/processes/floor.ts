// The floor: a bare node:http server that reads and parses the same body and answers a constant. It checks nothing
// and stores nothing; no server on this runtime that looks at its body can be much faster.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const answer = Buffer.from('{"ok":true,"runId":"01a1e733-979b-730b-94f2-18924cf98779"}');
const headers = ["Content-Type", "application/json; charset=utf-8", "Content-Length", String(answer.length)];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.writeHead(200, headers);
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
