// Whether a request comes from a program on this machine.
import { isLoopback } from "../core/loopback.ts";
import { parseAddress } from "./client-address.ts";
import { singleHeader } from "./headers.ts";
import { isOriginForm } from "./target.ts";

/** Headers that some proxies add. */
const forwarding = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/i;

/**
 * True for a program on this machine that sends its own requests. A proxy on this machine uses loopback too, so a
 * request with a proxy's header, or over HTTP/1.0 (the default of some), counts as from elsewhere. So does one for a
 * host of another name: it may come from a browser here that runs someone else's page. So does one that names a host
 * in its target, as clients do for a proxy.
 */
export function isFromHere(request: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly httpVersion: string;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}): boolean {
  const address = parseAddress(request.socket.remoteAddress ?? "");
  if (address === null || !(address.startsWith("127.") || address === "::1")) return false;
  const host = singleHeader(request.rawHeaders, "host");
  return (
    request.httpVersion !== "1.0" &&
    isOriginForm(request.url ?? "/") &&
    typeof host === "string" &&
    isLoopback(host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1")) &&
    !request.rawHeaders.some((name, index) => index % 2 === 0 && forwarding.test(name))
  );
}
