// A server on this machine for one visit: that of the browser after the consent.
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

/** `accepts` recognises the expected visit. Any other gets a 404 and changes nothing. */
export async function listenForRedirect(accepts: (url: string) => boolean): Promise<Loopback> {
  const { promise: visited, resolve } = Promise.withResolvers<string>();
  let origin = "";
  const server = createServer((request, response) => {
    const url = `${origin}${request.url ?? "/"}`;
    const isAwaited = request.method === "GET" && isFor(request.headers.host, origin) && accepts(url);
    response.writeHead(isAwaited ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(
      page(isAwaited ? "Thank you. Go back to the terminal; this page can be closed." : "Nothing is here."),
    );
    if (isAwaited) resolve(url);
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

/** Against DNS rebinding: another site must not reach this server under its own host name. */
const isFor = (host: string | undefined, origin: string): boolean => `http://${host ?? ""}` === origin;
