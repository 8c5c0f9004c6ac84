// POSTs to one service, by undici, which `fetch` is made of. Its time limits for the headers and for pauses in a body
// are off, because they would end a long run. It costs less than half of `node:http`.
import { Client, Pool, type Dispatcher } from "undici";

export type Post = { headers: Record<string, string>; body: string };
export type ServiceResponse = Dispatcher.ResponseData;
export type Service = { post(post: Post, signal: AbortSignal): Promise<ServiceResponse> };

const settings = {
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  /** A connection is kept for the next run, but not for long, since services close them. */
  keepAliveTimeout: 4000,
  // Finds a peer that disappeared, also when a run sends nothing for long.
  connect: { timeout: 60_000, keepAlive: true, keepAliveInitialDelay: 60_000 },
};

export function createService(url: URL): Service {
  const pool = new Pool(url.origin, settings);
  const path = url.pathname + url.search;
  const account = accountIn(url);
  const ask = async (
    through: Dispatcher,
    { headers, body }: Post,
    signal: AbortSignal,
  ): Promise<ServiceResponse> => {
    const response = await through.request({
      method: "POST",
      path,
      headers: { ...account, ...headers },
      body,
      signal,
    });
    // Without a listener, the fault of a body that is not read would be thrown.
    response.body.on("error", () => {});
    return response;
  };
  return {
    async post(post, signal) {
      const mayBeKept = pool.stats.free > 0;
      try {
        return await ask(pool, post, signal);
      } catch (fault) {
        // The service may just have closed the kept connection, in which case it never saw the request.
        if (!mayBeKept || !isReset(fault) || signal.aborted) throw fault;
      }
      const fresh = new Client(url.origin, settings);
      const responding = ask(fresh, post, signal);
      void fresh.close();
      return responding;
    },
  };
}

/** The user name and password that an address can hold. */
const accountIn = ({ username, password }: URL): Record<string, string> => {
  if (username === "" && password === "") return {};
  const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(account).toString("base64")}` };
};

const resets: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export const isReset = (fault: unknown): boolean =>
  fault instanceof Error && "code" in fault && resets.has(fault.code);

/** The body as text; null when it is longer. */
export function readText({ body }: ServiceResponse, limitBytes: number): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // `for await` would cost several times as much.
  body.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) resolve(null);
    else chunks.push(chunk);
  });
  body.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  body.once("error", reject);
  body.once("close", () => reject(closedEarly()));
  return promise;
}

const closedEarly = (): Error => Object.assign(new Error("the body was cut off"), { code: "ECONNRESET" });
