// The fetch tool: one page of text from a host the operator allowed.
//
// A name is resolved once and every address it has must be public; the connection is then made to those addresses,
// without a second lookup, which could lead to an inner address. A redirect is checked like a
// first request.
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { codeOf } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/public-address.ts";
import { type ToolResult, type Work } from "./execution.ts";
import { orStopped } from "../../core/abort.ts";
import { cut } from "../../core/text.ts";
import { Refusal } from "./fault.ts";
import { allowedUrl } from "./hosts.ts";

export type FetchOptions = {
  hosts: readonly string[];
  /** The next three are for tests. */
  resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  isPublic?: (address: string) => boolean;
  limitMs?: number;
};
type Network = Required<FetchOptions>;

const mostRedirects = 5;
const largestBody = 200_000;
const longestShown = 2000;

export function createFetch(options: FetchOptions): Work<{ url: string }> {
  const resolve = (host: string) => lookup(host, { all: true });
  const network: Network = { resolve, isPublic: isPublicAddress, limitMs: 20_000, ...options };
  return async ({ url }, signal) => {
    const limit = AbortSignal.timeout(network.limitMs);
    try {
      return await getPage(url, network, AbortSignal.any([signal, limit]));
    } catch (fault) {
      if (fault instanceof Refusal || signal.aborted) throw fault;
      if (limit.aborted)
        throw new Refusal(`It took longer than ${network.limitMs / 1000} seconds and was given up.`);
      throw new Refusal(`It could not be reached: ${codeOf(fault)}.`);
    }
  };
}

async function getPage(written: string, network: Network, signal: AbortSignal): Promise<ToolResult> {
  const first = allowedUrl(written, network.hosts);
  let url = first;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const response = await ask(url, await publicAddresses(url, network, signal), signal);
    const next = redirectOf(response);
    if (next === null) return await resultOf(response, first);
    response.destroy();
    url = redirected(next, url, network.hosts);
  }
  throw new Refusal(`It redirects more than ${mostRedirects} times and was given up.`);
}

async function publicAddresses(
  url: URL,
  { resolve, isPublic }: Network,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  const addresses = family > 0 ? [{ address: host, family }] : await orStopped(resolve(host), signal);
  if (addresses.length === 0) throw new Refusal("The host has no address.");
  if (addresses.every(({ address }) => isPublic(address))) return addresses;
  throw new Refusal("The host has an address that is not on the public internet, and is not asked.");
}

function ask(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    accept: "text/*, application/json",
    "accept-encoding": "identity",
    "user-agent": "rouse",
  };
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  request(url, { method: "GET", agent: false, headers, signal, lookup: only(addresses) })
    .on("response", resolve)
    // Without a listener the connection would be closed without an error.
    .on("upgrade", (response, socket) => {
      socket.destroy();
      reject(new Refusal(`It responded with HTTP ${response.statusCode ?? 0}: it wants another protocol.`));
    })
    .on("error", reject)
    .on("close", () => reject(new Refusal("It closed the connection without a response.")))
    .end();
  return orStopped(promise, signal);
}

/** A resolver that knows only these addresses. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = addresses;
    if (options.all) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family);
  };
}

const redirectOf = ({ statusCode = 0, headers: { location } }: IncomingMessage): string | null =>
  [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined ? location : null;

function redirected(location: string, from: URL, hosts: readonly string[]): URL {
  try {
    return allowedUrl(location, hosts, from);
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    throw new Refusal(`It redirects elsewhere. ${fault.message}`, cut(location, longestShown));
  }
}

/** `asked` is the address that the model wrote; a redirect's own is not shown. */
async function resultOf(response: IncomingMessage, asked: URL): Promise<ToolResult> {
  const { statusCode = 0, headers } = response;
  const [type, charset] = contentType(headers["content-type"] ?? "");
  const encoded = (headers["content-encoding"] ?? "identity") !== "identity";
  if (encoded || (!isText(type) && headers["content-length"] !== "0")) {
    response.destroy();
    throw new Refusal(
      `It responded with ${encoded ? "compressed data" : "data that is no text"} (HTTP ${statusCode}); only text and JSON can be fetched.`,
      type === "" ? null : `content-type: ${type}`,
    );
  }
  const { bytes, isCut } = await readBody(response);
  const size = isCut ? ` Only the first ${largestBody} bytes of it were read.` : "";
  return {
    says: `${asked.host} responded with HTTP ${statusCode}.${size}`,
    label: asked.href,
    outside: decoderOf(charset).decode(bytes),
  };
}

const contentType = (written: string): [type: string, charset: string | undefined] => [
  /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})/.exec(written)?.[1]?.toLowerCase() ?? "",
  /charset="?([\w-]{1,40})/i.exec(written)?.[1],
];

const isText = (type: string): boolean => /^text\/|^application\/(?:[\w.-]+\+)?json$/.test(type);

function decoderOf(charset: string | undefined): { decode(bytes: Buffer): string } {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

async function readBody(response: IncomingMessage): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > largestBody) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, largestBody), isCut: length > largestBody };
}
