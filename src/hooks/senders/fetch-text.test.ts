import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fetchText } from "./fetch-text.ts";

test("a public document is fetched whole, from where it is, or not at all", async (context) => {
  const server = createServer(({ url }, response) => {
    if (url === "/here") response.end("a certificate");
    else if (url === "/large") response.end("x".repeat(262_145));
    else if (url === "/moved") response.writeHead(302, { location: "/here" }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  context.after(() => void server.close());
  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  assert.equal(await fetchText(at("/here")), "a certificate");
  for (const path of ["/large", "/moved", "/missing"]) await assert.rejects(fetchText(at(path)), path);
});
