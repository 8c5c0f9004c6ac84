// A server under measurement.
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Lab } from "../lab.ts";

export const token = "bench-token-0123456789-0123456789-0123456789";

export type Subject = { port: number; child: ChildProcess };
/** A server that has to be installed: found, with its version, or missing, with the command that installs it. */
export type Rival =
  | { found: true; name: string; version: string; start(lab: Lab): Promise<Subject> }
  | { found: false; missing: string };

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when a POST to the path gets a 200. */
export async function untilServing(port: number, path: string, body: string, limitMs: number): Promise<void> {
  const givesUpAt = performance.now() + limitMs;
  let last = "nothing";
  while (performance.now() < givesUpAt) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      last = `${response.status} ${await response.text()}`;
      if (response.status === 200) return;
    } catch (fault) {
      last = String(fault);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing served ${path} within ${limitMs} ms; last: ${last}`);
}
