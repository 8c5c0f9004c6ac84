// Whether a request comes from a program on this machine.
import { isLoopback } from "../core/loopback.ts";
import { parseAddress } from "./client-address.ts";
import { singleHeader } from "./headers.ts";

/** What a proxy adds, or at least some do. */
const forwarding = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/i;

/**
 * A program on this machine that speaks for itself. A proxy beside us comes over loopback too: what carries a sign of
 * one, or HTTP/1.0 as some speak it by default, counts as from elsewhere. So does what asks for a host of another name:
 * a browser here, led to us by someone else's page.
 */
export function isFromHere(request: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}): boolean {
  const address = parseAddress(request.socket.remoteAddress ?? "");
  if (address === null || !(address.startsWith("127.") || address === "::1")) return false;
  const host = singleHeader(request.rawHeaders, "host");
  return (
    request.httpVersion !== "1.0" &&
    typeof host === "string" &&
    isLoopback(host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1")) &&
    !request.rawHeaders.some((name, index) => index % 2 === 0 && forwarding.test(name))
  );
}
