// The client of a gateway under test: sends requests, also such as no HTTP library would send.
import { type RawClient, rawClient, type RawResponse } from "../fixtures/raw-client.ts";

export type TestRequest = {
  method?: string;
  target: string;
  headers?: readonly string[];
  body?: string | Buffer;
};

const boundMs = 60_000;

/** Each request has a connection of its own. `close` closes those that are still open. */
export function createClient(port: () => number, token: string) {
  const clients = new Set<RawClient>();

  function raw(text: string | Buffer): RawClient {
    const client = rawClient(port());
    clients.add(client);
    client.send(text);
    return client;
  }
  async function send({
    method = "POST",
    target,
    headers = [],
    body = "",
  }: TestRequest): Promise<RawResponse> {
    const bytes = Buffer.from(body);
    const head = [
      `${method} ${target} HTTP/1.1`,
      "Host: test",
      `Content-Length: ${bytes.length}`,
      ...headers,
    ];
    const client = raw(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]));
    try {
      return await within(client.next(), `a response to ${method} ${target}`);
    } finally {
      client.socket.destroy();
      clients.delete(client);
    }
  }
  const post = (name: string, body: unknown, headers: readonly string[] = []): Promise<RawResponse> =>
    send({
      target: `/hooks/${name}`,
      headers: [`Authorization: Bearer ${token}`, ...typeIn(headers), ...headers],
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  const close = (): void => {
    for (const { socket } of clients) socket.destroy();
  };
  return { raw, send, post, close };
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`waited ${boundMs} ms in vain for ${what}`)), boundMs);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** JSON, where no other type is given. */
const typeIn = (headers: readonly string[]): string[] =>
  headers.some((header) => /^content-type:/i.test(header)) ? [] : ["Content-Type: application/json"];
