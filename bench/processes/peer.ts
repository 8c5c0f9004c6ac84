// A rival's queue behind the smallest front that does what ours promises: it reads and parses the body, stores the
// work, and responds once it is durable. The worker calls the agent as ours does.
import { randomUUID } from "node:crypto";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { loadPeer, type PeerName } from "../peers/load.ts";

const [name, address = "", agentPort] = process.argv.slice(2);
const concurrency = 64;
const kept = new Agent({ keepAlive: true, maxSockets: concurrency });

function callAgent(runId: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { "content-type": "application/json" };
  const sent = request(
    { agent: kept, host: "127.0.0.1", port: Number(agentPort), path: "/", method: "POST", headers },
    (response) => response.resume().on("end", resolve),
  );
  sent.on("error", reject);
  sent.end(JSON.stringify({ runId, message: "the build of main is broken", sessionKey: `hook:${runId}` }));
  return promise;
}

const open = await loadPeer(name as PeerName);
const peer = await open({ address, concurrency, callAgent: agentPort === undefined ? null : callAgent });

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const id = randomUUID();
    const end = (status: number, body: object): void => {
      const text = JSON.stringify(body);
      response.writeHead(status, { "content-type": "application/json", "content-length": text.length });
      response.end(text);
    };
    peer.accept(id, JSON.parse(Buffer.concat(chunks).toString("utf8"))).then(
      () => end(202, { ok: true, runId: id }),
      (fault: unknown) => end(500, { error: String(fault).slice(0, 300) }),
    );
  });
});
process.on("message", () => void peer.hasUnfinished().then((unfinished) => process.send?.({ unfinished })));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
