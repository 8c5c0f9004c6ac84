// Addresses for people and clients, and the curl line that `rouse start` prints.
import { isIPv6 } from "node:net";

export const addressOf = (host: string, port: number): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** A hook's name for a request's path: without slashes at the ends; characters that no path can hold are encoded. */
export const hookName = (written: string): string =>
  written
    .replace(/^\/+|\/+$/g, "")
    .toWellFormed()
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@%/]/gu, encodeURIComponent);

/** The address for a client on this machine when the gateway listens on every address. */
export function localHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** A line to paste into a shell. Without a token it reads the variable ROUSE_TOKEN. */
export function curlLine(url: string, token: string | null): string {
  const header =
    token === null ? '"Authorization: Bearer $ROUSE_TOKEN"' : shellQuoted(`Authorization: Bearer ${token}`);
  const body = shellQuoted(JSON.stringify({ message: "Hello from curl", name: "First try" }));
  return `curl -sS ${shellQuoted(url)} -H ${header} -H 'Content-Type: application/json' -d ${body}`;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
