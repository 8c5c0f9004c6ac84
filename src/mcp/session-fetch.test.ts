import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { TooLarge } from "../core/response-body.ts";
import { sessionFetch } from "./session-fetch.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("a response up to the limit comes whole, with its status and headers; a larger one breaks", async (t) => {
  const url = await serve(t, (_, response) => void response.writeHead(201, { "x-a": "b" }).end("12345"));
  const signal = new AbortController().signal;
  const faults: TooLarge[] = [];
  const fetchUpTo = (most: number) => sessionFetch(signal, (fault) => faults.push(fault), most);
  const response = await fetchUpTo(5)(url);
  assert.deepEqual(
    [response.status, response.headers.get("x-a"), await response.text()],
    [201, "b", "12345"],
  );
  assert.deepEqual(faults, []);
  const large = await fetchUpTo(4)(url);
  await assert.rejects(large.text(), /more than 4 bytes/);
  assert.match(String(faults), /more than 4 bytes/);
});

test("it ends when its signal fires, and the session's DELETE is still sent", async (t) => {
  const methods: (string | undefined)[] = [];
  const url = await serve(t, ({ method }, response) => {
    methods.push(method);
    if (method === "DELETE") response.end();
  });
  const stop = new AbortController();
  const waiting = sessionFetch(stop.signal, assert.fail)(url);
  stop.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.equal((await sessionFetch(stop.signal, assert.fail)(url, { method: "DELETE" })).status, 200);
  assert.ok(methods.includes("DELETE"));
});
