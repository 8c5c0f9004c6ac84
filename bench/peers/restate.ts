// Restate: one server that keeps a replicated log on this machine and flushes it (its default), and a service that
// calls the agent in a durable step. Its ingress responds to `/send` once the invocation is in the log. `address` is the
// ports of ingress, admin and the service: our front passes requests on to the ingress over kept connections.
import { createRequire } from "node:module";
import { Agent, request } from "node:http";
import { importRival } from "../queue/rival.ts";
import type { OpenPeer, PeerOptions, Work } from "./peer.ts";

type Context = { run<T>(name: string, step: () => Promise<T>): Promise<T> };
type Library = {
  service(definition: {
    name: string;
    handlers: { run(context: Context, work: Work): Promise<void> };
  }): unknown;
  endpoint(): { bind(service: unknown): { listen(port: number): Promise<number> } };
};

export async function open({ address, callAgent }: PeerOptions): Promise<OpenPeer> {
  // Its default is a line on the terminal for each start and each end.
  process.env["RESTATE_LOGGING"] = "ERROR";
  const [ingress, admin, service] = address.split(",").map(Number) as [number, number, number];
  const { service: define, endpoint } = await importRival<Library>("@restatedev/restate-sdk");
  const run = async (context: Context, { id }: Work): Promise<void> => {
    if (callAgent === null) return new Promise<void>(() => {});
    await context.run("agent", () => callAgent(id));
  };
  await endpoint()
    .bind(define({ name: "bench", handlers: { run } }))
    .listen(service);
  await post(admin, "/deployments", { uri: `http://127.0.0.1:${service}` });
  return {
    async accept(id, payload) {
      await post(ingress, "/bench/run/send", { id, payload });
    },
    async hasUnfinished() {
      const query = "select count(*) as count from sys_invocation where status <> 'completed'";
      const { rows } = JSON.parse(await post(admin, "/query", { query })) as { rows: { count: number }[] };
      return rows[0]!.count > 0;
    },
  };
}

const kept = new Agent({ keepAlive: true, maxSockets: 64 });

function post(port: number, path: string, body: unknown): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { "content-type": "application/json", accept: "application/json" };
  const sent = request(
    { agent: kept, host: "127.0.0.1", port, path, method: "POST", headers },
    (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        (response.statusCode ?? 500) < 300
          ? resolve(text)
          : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
      );
    },
  );
  sent.on("error", reject);
  sent.end(JSON.stringify(body));
  return promise;
}

/** The program of its package for this machine. */
export const serverProgram = (folder: URL): string =>
  createRequire(new URL("package.json", folder)).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
