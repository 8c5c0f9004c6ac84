// Checks a URL against the list of allowed hosts.
import { domainToASCII } from "node:url";
import { Refusal } from "./fault.ts";

type Entry = { host: string; below: boolean; port: string | null };

const usualPorts = ["80", "443"];

/** `example.com`, `*.example.com` for everything below it, either with a port. */
function parseEntry(written: string): Entry {
  // `domainToASCII` would take more than a host, and leave out the rest.
  const [, wildcard, name = "", port] = /^(\*\.)?([^/?#@\\\s]*?)(?::(\d+))?$/.exec(written) ?? [];
  const host = name.startsWith("[") ? name : domainToASCII(name);
  return { host, below: wildcard !== undefined, port: port ?? null };
}

/** The address as a URL when it may be fetched; otherwise a refusal with the reason. */
export function allowedUrl(written: string, hosts: readonly string[], base?: URL): URL {
  const url = URL.parse(written, base?.href);
  if (url === null)
    throw new Refusal("This is not a web address. Give one such as https://example.com/page.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Refusal("Only addresses that begin with http:// or https:// can be fetched.");
  if (url.username !== "" || url.password !== "")
    throw new Refusal("An address with a name or password in it is not fetched. Leave them out.");
  if (!hosts.some((entry) => fits(url, parseEntry(entry)))) throw notAllowed(hosts);
  return url;
}

function fits({ hostname, port, protocol }: URL, entry: Entry): boolean {
  if (entry.host === "") return false;
  const wanted = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  if (entry.port === null ? !usualPorts.includes(wanted) : entry.port !== wanted) return false;
  return entry.below ? hostname.endsWith(`.${entry.host}`) : hostname === entry.host;
}

/** Without the host: of a redirect, it is what a stranger wrote. */
function notAllowed(hosts: readonly string[]): Refusal {
  const allowed = hosts.length === 0 ? "No host is allowed." : `Allowed are: ${hosts.join(", ")}.`;
  return new Refusal(`This host may not be asked. ${allowed}`);
}
