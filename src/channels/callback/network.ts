// The connections of callbacks: to hosts on the public internet, unless the configuration allows another or names the
// very address. A name is resolved for each connection, and the connection goes to the addresses that were checked.
import { lookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Agent } from "undici";
import { isPublicAddress } from "../../core/public-address.ts";

export type Resolve = (
  host: string,
  done: (fault: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export type Network = { fetch: typeof fetch };

const resolveAll: Resolve = (host, done) => lookup(host, { all: true }, done);

export const notPublicCode = "NOT_PUBLIC";

export function openNetwork({
  allowPrivate,
  resolve = resolveAll,
  isPublic = isPublicAddress,
}: {
  allowPrivate: boolean;
  resolve?: Resolve;
  isPublic?: (address: string) => boolean;
}): Network {
  const connect = allowPrivate ? {} : { lookup: onlyPublic(resolve, isPublic) };
  let dispatcher: Agent | null = null;
  // Loaded for the first callback: most gateways send none.
  async function send(url: unknown, init: object | undefined): Promise<unknown> {
    const undici = await import("undici");
    dispatcher ??= new undici.Agent({ connect, keepAliveTimeout: 4000 });
    return undici.fetch(url as string, { ...init, dispatcher });
  }
  return { fetch: send as typeof fetch };
}

/** One private address among them is enough to ask none. */
const onlyPublic =
  (resolve: Resolve, isPublic: (address: string) => boolean): LookupFunction =>
  (host, options, done) =>
    resolve(host, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault !== null || first === undefined) return done(fault ?? faultOf("ENOTFOUND"), "", 4);
      if (!addresses.every(({ address }) => isPublic(address))) return done(faultOf(notPublicCode), "", 4);
      if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });

const faultOf = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(code), { code, syscall: "getaddrinfo" });
