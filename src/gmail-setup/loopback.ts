// Where the browser comes back to after the consent: a server on this machine, for that one visit.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Loopback = {
  redirectUri: string;
  /** The whole address of the visit. Never rejects. */
  visited: Promise<string>;
  close(): Promise<void>;
};

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Rouse</title><p style="font:1.2em sans-serif;margin:3em">${text}</p>\n`;

/** `accepts`: whether a visit is the one that is waited for. Others are answered, and do not count. */
export async function listenForRedirect(accepts: (url: string) => boolean): Promise<Loopback> {
  const { promise: visited, resolve } = Promise.withResolvers<string>();
  let origin = "";
  const server = createServer((request, response) => {
    const url = `${origin}${request.url ?? "/"}`;
    const isIt = request.method === "GET" && isFor(request.headers.host, origin) && accepts(url);
    response.writeHead(isIt ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(
      page(isIt ? "Thank you. Go back to the terminal; this page can be closed." : "Nothing is here."),
    );
    if (isIt) resolve(url);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    redirectUri: origin,
    visited,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeIdleConnections();
      }),
  };
}

/** A page elsewhere must not reach it under a name of its own. */
const isFor = (host: string | undefined, origin: string): boolean => `http://${host ?? ""}` === origin;
